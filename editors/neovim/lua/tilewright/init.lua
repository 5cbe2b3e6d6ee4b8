-- The door of the plugin: which buffers are tile scripts, and what they get.
local config = require("tilewright.config")
local M = {}

function M.setup(options) config.set(options) end

-- As the server judges files: one that speaks of tvm or of prim_func, or has a comment for Tilewright.
function M.is_script(buffer)
  if vim.api.nvim_buf_get_name(buffer):match("%.tile%.py$") then return true end
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, 5000, false)) do
    if line:find("tvm", 1, true) or line:find("prim_func", 1, true) or line:find("#%s*tilewright:") then return true end
  end
  return false
end

local keys = {
  c = "view-cuda", p = "view-ptx", s = "view-sass", i = "view-ir", n = "view-plan", v = "view-report", d = "diff-edit",
  a = "diff-arch", l = "layout", w = "pipeline", r = "run", x = "cancel", h = "runs", t = "timeline", e = "entry", f = "follow",
  q = "close",
}

local function map_keys(buffer)
  for key, name in pairs(keys) do
    local plug, lhs = "<Plug>(tilewright-" .. name .. ")", "<LocalLeader>t" .. key
    if vim.fn.hasmapto(plug, "n") == 0 and vim.fn.maparg(lhs, "n") == "" then
      vim.keymap.set("n", lhs, plug, { buffer = buffer, remap = true, desc = "Tilewright: " .. name })
    end
  end
end

-- Colours by the grammar of tile scripts, where the plugin was built with its parser.
local function highlight(buffer)
  local parser = vim.fs.joinpath(require("tilewright.server").plugin_root(), "parser", "tilescript.so")
  if not vim.uv.fs_stat(parser) then return end
  local ok, problem = pcall(function()
    vim.treesitter.language.add("tilescript", { path = parser })
    vim.treesitter.start(buffer, "tilescript")
  end)
  if not ok then
    vim.notify_once("tilewright: the parser does not fit this Neovim, Python's colours stay: " .. tostring(problem), vim.log.levels.WARN)
  end
end

-- A Python buffer: nothing happens unless it is a tile script.
function M.consider(buffer)
  if vim.b[buffer].tilewright or vim.bo[buffer].buftype ~= "" or not M.is_script(buffer) then return end
  vim.b[buffer].tilewright = true
  require("tilewright.commands").client_commands()
  if config.values.mappings then map_keys(buffer) end
  if config.values.treesitter then highlight(buffer) end
  M.dress(buffer)
  require("tilewright.server").attach(buffer)
end

-- What a script shows of itself while a server is attached.
function M.dress(buffer)
  if config.values.inlay_hints then vim.lsp.inlay_hint.enable(true, { bufnr = buffer }) end
  if config.values.codelens then
    vim.api.nvim_create_autocmd({ "LspAttach", "BufEnter", "InsertLeave", "TextChanged", "BufWritePost" }, {
      group = vim.api.nvim_create_augroup("tilewright_lens_" .. buffer, {}),
      buffer = buffer,
      callback = function()
        if require("tilewright.server").client(buffer) then vim.lsp.codelens.refresh({ bufnr = buffer }) end
      end,
    })
  end
end

return M
