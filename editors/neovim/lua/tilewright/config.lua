-- What can be set, by require("tilewright").setup{...} or vim.g.tilewright, beside its default.
local M = {}

M.defaults = {
  -- The server's command, such as { "/opt/tilewright/bin/tilewright", "lsp" }; nil: bin/tilewright of this plugin, where
  -- it was installed with one, else `tilewright` of PATH.
  cmd = nil,
  settings = {},            -- section `tilewright` of the server: architectures, dialect, entries, denyFallback, ...
  mappings = true,          -- <LocalLeader>t... in tile scripts, where nothing is mapped yet
  inlay_hints = true,
  codelens = true,
  treesitter = true,        -- the grammar of tile scripts instead of Python's syntax, where its parser is built
  links = true,             -- colours for lines that belong together
  dim = true,               -- lines of the kernel that emit nothing
  view_width = 0.5,         -- of the window that is split
  notice = 8000,            -- milliseconds that a notice is shown
  patience = 10000,         -- milliseconds until a server that does not answer is called hung
  restarts = 3,             -- of a server that ends by itself, in a minute
}

M.values = vim.tbl_deep_extend("force", {}, M.defaults, vim.g.tilewright or {})

local function complain(text)
  vim.schedule(function() require("tilewright.notice").show(text, vim.log.levels.WARN) end)
end

-- Keeps what is right; says what is not.
function M.set(options)
  for name, value in pairs(options or {}) do
    local default = M.defaults[name]
    if name ~= "cmd" and default == nil then
      complain("there is no option '" .. name .. "'; :help tilewright-options lists them")
    elseif name == "cmd" and type(value) ~= "table" then
      complain("the option 'cmd' is a list, such as { \"tilewright\", \"lsp\" }")
    elseif default ~= nil and type(value) ~= type(default) then
      complain(("the option '%s' is a %s, not a %s"):format(name, type(default), type(value)))
    elseif type(value) == "table" and not vim.islist(value) then
      M.values[name] = vim.tbl_deep_extend("force", M.values[name] or {}, value)
    else
      M.values[name] = value
    end
  end
end

return M
