-- Builds the tree-sitter parser, by the same script that packages use.
local M = {}

function M.run()
  local root = require("tilewright.server").plugin_root()
  vim.system({ "sh", vim.fs.joinpath(root, "build.sh") }, { text = true }, vim.schedule_wrap(function(done)
    local tell = require("tilewright.server").tell
    if done.code == 0 then return tell("the parser of tile scripts is built; it serves scripts that are opened from now on") end
    tell("the parser could not be built:\n" .. done.stdout .. done.stderr, vim.log.levels.ERROR)
  end))
end

return M
