-- What the plugin has to say: in a window of its own at the bottom for a while, and in `:Tilewright messages`. A message as
-- Neovim shows it may be longer than its line, and would stop everything until a key is pressed. Who has another
-- vim.notify gets it there.
local M = { said = {} }

local shown = {}  -- the newest last: { lines, group }
local window, buffer
local kLines = 10

local function wrapped(text, width)
  local out = {}
  for paragraph in vim.gsplit(text, "\n", { trimempty = true }) do
    local line = ""
    for word in paragraph:gmatch("%S+") do
      if line ~= "" and vim.fn.strdisplaywidth(line .. " " .. word) > width then
        out[#out + 1], line = line, word
      else
        line = line == "" and word or line .. " " .. word
      end
    end
    out[#out + 1] = line
  end
  return out
end

local function draw()
  if #shown == 0 then
    if window and vim.api.nvim_win_is_valid(window) then vim.api.nvim_win_close(window, true) end
    window = nil
    return
  end
  if not buffer or not vim.api.nvim_buf_is_valid(buffer) then buffer = vim.api.nvim_create_buf(false, true) end
  local width, lines, groups = vim.o.columns - 1, {}, {}
  for _, notice in ipairs(shown) do
    for _, line in ipairs(wrapped(notice.text, width)) do
      lines[#lines + 1] = line
      groups[#lines] = notice.group
    end
  end
  lines = vim.list_slice(lines, math.max(1, #lines - kLines + 1))
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  for i = 1, #lines do vim.api.nvim_buf_add_highlight(buffer, -1, groups[i], i - 1, 0, -1) end
  local place = { relative = "editor", anchor = "SW", row = vim.o.lines - vim.o.cmdheight - 1, col = 0, width = vim.o.columns, height = #lines,
    style = "minimal", border = { "", "─", "", "", "", "", "", "" }, focusable = false, zindex = 60 }
  if window and vim.api.nvim_win_is_valid(window) then
    vim.api.nvim_win_set_config(window, place)
  else
    place.noautocmd = true
    window = vim.api.nvim_open_win(buffer, false, place)
  end
  vim.cmd.redraw()
end

local function is_builtin(notify)
  local source = debug.getinfo(notify, "S").source
  return source:find("vim/_editor", 1, true) or source:find("vim._editor", 1, true)
end

function M.show(message, level)
  message = "tilewright: " .. message
  level = level or vim.log.levels.INFO
  M.said[#M.said + 1] = os.date("%H:%M:%S ") .. message
  if #M.said > 200 then table.remove(M.said, 1) end
  if not is_builtin(vim.notify) then return vim.notify(message, level) end
  local groups = { [vim.log.levels.WARN] = "WarningMsg", [vim.log.levels.ERROR] = "ErrorMsg" }
  local notice = { text = message, group = groups[level] or "Normal" }
  shown[#shown + 1] = notice
  draw()
  vim.defer_fn(function()
    shown = vim.tbl_filter(function(other) return other ~= notice end, shown)
    draw()
  end, require("tilewright.config").values.notice)
end

return M
