-- :checkhealth tilewright
local M = {}

function M.check()
  local health = vim.health
  local server = require("tilewright.server")
  health.start("Tilewright")
  if vim.fn.has("nvim-0.10") == 1 then
    health.ok("Neovim " .. tostring(vim.version()))
  else
    health.error("Neovim 0.10 or newer is needed, this is " .. tostring(vim.version()))
  end
  local cmd, looked = server.command()
  if not cmd then
    health.error("no server: looked for " .. table.concat(looked, " and "),
      { "install it with `pip install tilewright`", "or name it: require('tilewright').setup{ cmd = { '/path/to/tilewright', 'lsp' } }" })
    return
  end
  local done = vim.system({ cmd[1], "--version" }, { text = true, timeout = 10000 }):wait()
  if done.code == 0 then
    health.ok(cmd[1] .. ": " .. vim.trim(done.stdout):gsub("\n", ", "))
  else
    health.error(cmd[1] .. " does not start: " .. vim.trim((done.stdout or "") .. (done.stderr or "")),
      { "try it in a terminal: " .. cmd[1] .. " doctor" })
  end
  local running = server.all()
  if #running == 0 then health.info("no server is running: it starts with the first tile script that is opened") end
  for _, one in ipairs(running) do
    local name = ("the server of %s runs as process %s"):format(one.client.config.root_dir, tostring(one.info.pid))
    if server.slow == one.client.id then
      health.error(name .. ", and does not answer", { ":Tilewright restart" })
    else
      health.ok(name)
    end
  end
  local doctor = vim.system({ cmd[1], "doctor" }, { text = true, timeout = 20000 }):wait()
  if doctor.stdout and doctor.stdout ~= "" then
    health.start("What `tilewright doctor` says")
    for line in vim.trim(doctor.stdout):gmatch("[^\n]+") do health.info(line) end
  end
  health.start("Tree-sitter")
  local parser = vim.fs.joinpath(server.plugin_root(), "parser", "tilescript.so")
  if not vim.uv.fs_stat(parser) then
    health.warn("the parser of tile scripts is not built: they have Python's colours, and those of the server",
      { ":Tilewright build (it needs a C compiler)" })
    return
  end
  local ok, problem = pcall(function()
    vim.treesitter.language.add("tilescript", { path = parser })
    assert(vim.treesitter.query.get("tilescript", "highlights"), "no queries/tilescript/highlights.scm")
  end)
  if ok then
    health.ok("the parser and queries of tile scripts")
  else
    health.error("the parser does not fit: " .. tostring(problem), { ":Tilewright build" })
  end
end

return M
