-- Read-only documents of the server under tilewright:, which definitions and links lead to.
local M = {}

function M.read(buffer, uri)
  vim.bo[buffer].buftype = "nofile"
  vim.bo[buffer].swapfile = false
  local server = require("tilewright.server")
  local client = server.all()[1]
  local lines, language
  if not client then
    lines = { "No server is running; `:Tilewright restart` starts one, then `:edit` reads this document." }
  else
    local done, problem, result
    server.request(next(client.info.buffers), "tilewright/view", { uri = uri }, function(p, r) done, problem, result = true, p, r end)
    vim.wait(5000, function() return done end, 5)
    lines = vim.split(result and result.text or problem or "the server does not answer", "\n")
    language = result and result.languageId
  end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
  vim.bo[buffer].syntax = language == "cuda-cpp" and "cuda" or language or ""
end

return M
