-- Views beside a script: what a kernel becomes, the layout under the cursor, the pipeline. Lines of both sides that
-- belong together have one colour and follow the cursor, both ways.
--
-- A view is live: each change of the script asks for it again. What it shows says the version of the script that it was
-- made from, and the bar above the window is worked out at each redraw from that version and the script's own. So what is
-- stale is called stale from the very change on, and grey a moment later; only what is current is linked.
local config = require("tilewright.config")
local server = require("tilewright.server")
local M = {}

local View = {}
View.__index = View
local by_buffer = {}  -- of the view
local by_script = {}  -- script -> set of views
local watched = {}    -- scripts that are listened to

local links_ns = vim.api.nvim_create_namespace("tilewright_links")
local here_ns = vim.api.nvim_create_namespace("tilewright_here")
local stale_ns = vim.api.nvim_create_namespace("tilewright_stale")
local kColours = 6

M.kinds = { "cuda", "ptx", "sass", "lowered", "tirx", "plan", "report" }
local titles = { cuda = "CUDA", ptx = "PTX", sass = "SASS", lowered = "IR, lowered", tirx = "IR", plan = "plan", report = "report",
  layout = "layout", pipeline = "pipeline" }
local syntaxes = { cuda = "cuda", ptx = "tilewright_asm", sass = "tilewright_asm", lowered = "python", tirx = "python", plan = "json" }

-- Pale grounds of the colours of Okabe and Ito, which people with any colour vision tell apart.
local function colours()
  local dark = { "#16324a", "#4a3a10", "#0f3d33", "#4a2412", "#3d2340", "#41400f" }
  local light = { "#d6ebf8", "#f8e6c0", "#cdeee3", "#f8dccb", "#f0dcea", "#f5f2b8" }
  for i, ground in ipairs(vim.o.background == "dark" and dark or light) do
    vim.api.nvim_set_hl(0, "TilewrightLink" .. i, { bg = ground, default = true })
  end
  vim.api.nvim_set_hl(0, "TilewrightHere", { link = "CursorLine", default = true })
  vim.api.nvim_set_hl(0, "TilewrightHereLine", { link = "Visual", default = true })
  vim.api.nvim_set_hl(0, "TilewrightSilent", { link = "NonText", default = true })
  vim.api.nvim_set_hl(0, "TilewrightStale", { link = "NonText", default = true })
  vim.api.nvim_set_hl(0, "TilewrightCurrent", { link = "DiagnosticOk", default = true })
  vim.api.nvim_set_hl(0, "TilewrightWaiting", { link = "DiagnosticWarn", default = true })
end
colours()

local function valid(buffer) return buffer and vim.api.nvim_buf_is_valid(buffer) end

function M.of(buffer) return by_buffer[buffer] end
function M.of_script(script) return vim.tbl_keys(by_script[script] or {}) end
-- The script that a buffer is about: itself, or what its view shows.
function M.script_of(buffer)
  if by_buffer[buffer] then return by_buffer[buffer].script end
  return vim.b[buffer].tilewright and buffer or nil
end

-- ---- what is current ---------------------------------------------------------------------------------------------------

-- True, or false and why not.
function View:current()
  if not valid(self.script) or not vim.api.nvim_buf_is_loaded(self.script) then return false, "the script is closed" end
  local client = server.client(self.script)
  if self.frozen then return false, "as it was before" end
  if not client then return false, "no server is running (:Tilewright restart)" end
  if server.slow == client.id then return false, "the server does not answer (:Tilewright restart)" end
  if self.problem then return false, self.problem end
  if self.dirty or not self.version or self.version ~= server.version(self.script) then return false, "updating" end
  return true
end

local function escaped(text) return (text:gsub("%%", "%%%%"):gsub("[\r\n]+", " ")) end

-- The bar above a view's window.
function M.winbar()
  local self = by_buffer[vim.api.nvim_get_current_buf()]
  if not self then return "" end
  local what = titles[self.kind] .. "  %<" .. escaped(self.subject or "")
  local current, why = self:current()
  if current then return "%#TilewrightCurrent# ● %*" .. what .. "%= current " end
  local mark = self.frozen and "○ " or "◌ "
  return "%#TilewrightWaiting# " .. mark .. "%*" .. what .. "%=%#TilewrightWaiting#"
    .. escaped(self.frozen and why or ((self.version and "stale: " or "") .. why)) .. "%* "
end

-- The script has changed under it.
function View:spoil()
  self.dirty = true
  local window = valid(self.buffer) and self:window()
  if window then pcall(vim.api.nvim__redraw, { win = window, winbar = true }) end
end

function View:mark()
  if not valid(self.buffer) then return end
  local current = self:current()
  if current == self.shown_current then
    if not current then vim.cmd("redrawstatus!") end
    return
  end
  self.shown_current = current
  vim.api.nvim_buf_clear_namespace(self.buffer, stale_ns, 0, -1)
  if not current and not self.frozen then
    vim.api.nvim_buf_set_extmark(self.buffer, stale_ns, 0, 0, {
      end_row = vim.api.nvim_buf_line_count(self.buffer), hl_group = "TilewrightStale", hl_eol = true, priority = 300, strict = false,
    })
    vim.api.nvim_buf_clear_namespace(self.buffer, here_ns, 0, -1)
    if valid(self.script) then vim.api.nvim_buf_clear_namespace(self.script, here_ns, 0, -1) end
  end
  vim.cmd("redrawstatus!")
end

-- ---- text and links -------------------------------------------------------------------------------------------------------

-- Only the lines that differ are replaced, so that windows stay where they are.
local function replace(buffer, lines)
  local old = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  local first, last_old, last_new = 1, #old, #lines
  while first <= last_old and first <= last_new and old[first] == lines[first] do first = first + 1 end
  while last_old >= first and last_new >= first and old[last_old] == lines[last_new] do
    last_old, last_new = last_old - 1, last_new - 1
  end
  if first > last_old and first > last_new then return end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, first - 1, last_old, false, vim.list_slice(lines, first, last_new))
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
end

-- Texts name the lines that they speak of: "[line 37]".
local function map_of_text(lines)
  local map = {}
  for i, line in ipairs(lines) do
    local number = tonumber(line:match("%[line (%d+)%]"))
    if number then map[#map + 1] = { lines = { start = i - 1, ["end"] = i }, source = { start = number - 1, ["end"] = number } } end
  end
  return map
end

function View:paint()
  vim.api.nvim_buf_clear_namespace(self.buffer, links_ns, 0, -1)
  if not valid(self.script) then return end
  vim.api.nvim_buf_clear_namespace(self.script, links_ns, 0, -1)
  local script_lines = vim.api.nvim_buf_get_lines(self.script, 0, -1, false)
  local function ground(buffer, range, group, priority)
    vim.api.nvim_buf_set_extmark(buffer, links_ns, range.start, 0, {
      end_row = range["end"], hl_group = group, hl_eol = true, priority = priority, strict = false,
    })
  end
  local emits, colour_of, sources = {}, {}, {}
  for _, link in ipairs(self.map) do
    local key = link.source.start
    if not colour_of[key] then
      colour_of[key] = true
      sources[#sources + 1] = link.source
    end
    for line = link.source.start, link.source["end"] - 1 do emits[line] = true end
  end
  if config.values.links and #self.map > 0 and self.kind ~= "layout" then
    table.sort(sources, function(a, b) return a.start < b.start end)
    for i, source in ipairs(sources) do
      colour_of[source.start] = "TilewrightLink" .. ((i - 1) % kColours + 1)
      if source.start < #script_lines then ground(self.script, source, colour_of[source.start], 20 + i % 2) end
    end
    for _, link in ipairs(self.map) do ground(self.buffer, link.lines, colour_of[link.source.start], 20) end
  end
  if config.values.dim and self.kernel then
    for line = self.kernel.start, math.min(self.kernel["end"], #script_lines) - 1 do
      local text = script_lines[line + 1]
      if not emits[line] and text:find("%S") and not text:find("^%s*#") then
        ground(self.script, { start = line, ["end"] = line + 1 }, "TilewrightSilent", 250)
      end
    end
  end
end

-- The links of a line of one side, the narrowest first.
function View:links(side, line)
  local out = {}
  for _, link in ipairs(self.map or {}) do
    if link[side].start <= line and line < link[side]["end"] then out[#out + 1] = link end
  end
  table.sort(out, function(a, b)
    local x, y = a[side]["end"] - a[side].start, b[side]["end"] - b[side].start
    if x ~= y then return x < y end
    return a.lines.start < b.lines.start
  end)
  return out
end

local function reveal(buffer, line)
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(window) == buffer and window ~= vim.api.nvim_get_current_win() then
      local rows = vim.api.nvim_buf_line_count(buffer)
      vim.api.nvim_win_set_cursor(window, { math.min(line + 1, rows), 0 })
      vim.api.nvim_win_call(window, function()
        if vim.fn.line("w0") > line + 1 or vim.fn.line("w$") < line + 1 then vim.cmd("normal! zz") end
      end)
    end
  end
end

-- Marks what belongs to the cursor's line, and shows it on the other side.
function View:follow(from_script)
  local source, target = self.script, self.buffer
  if not from_script then source, target = target, source end
  if not valid(source) or not valid(target) then return end
  vim.api.nvim_buf_clear_namespace(self.buffer, here_ns, 0, -1)
  vim.api.nvim_buf_clear_namespace(self.script, here_ns, 0, -1)
  if not self:current() then return end
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local found = self:links(from_script and "source" or "lines", line)
  if #found == 0 then return end
  local width = found[1].source["end"] - found[1].source.start
  for _, link in ipairs(found) do
    -- From the script: all that the narrowest statement around the cursor became.
    if not from_script or link.source["end"] - link.source.start == width then
      for _, side in ipairs({ { self.script, link.source }, { self.buffer, link.lines } }) do
        vim.api.nvim_buf_set_extmark(side[1], here_ns, side[2].start, 0, {
          end_row = side[2]["end"], hl_group = "TilewrightHereLine", hl_eol = true, priority = 200, strict = false,
        })
      end
    end
  end
  reveal(target, from_script and found[1].lines.start or found[1].source.start)
end

-- Goes to the other side of the cursor's line.
function M.follow_link()
  local buffer = vim.api.nvim_get_current_buf()
  local self = by_buffer[buffer]
  if self then
    local found = self:links("lines", vim.api.nvim_win_get_cursor(0)[1] - 1)
    if not self:current() then return server.tell("the view is not current yet: no link is followed") end
    if #found == 0 then return server.tell("nothing of the script became this line") end
    for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      if vim.api.nvim_win_get_buf(window) == self.script then
        vim.api.nvim_set_current_win(window)
        vim.cmd("normal! m'")
        return vim.api.nvim_win_set_cursor(window, { found[1].source.start + 1, 0 })
      end
    end
    return server.tell("the script is in no window")
  end
  for view in pairs(by_script[buffer] or {}) do
    local found = view:links("source", vim.api.nvim_win_get_cursor(0)[1] - 1)
    local window = view:window()
    if window and view:current() and #found > 0 then
      vim.api.nvim_set_current_win(window)
      return vim.api.nvim_win_set_cursor(window, { found[1].lines.start + 1, 0 })
    end
  end
  server.tell("this line became nothing in an open view")
end

-- ---- asking -----------------------------------------------------------------------------------------------------------

function View:question()
  local document = { uri = vim.uri_from_bufnr(self.script) }
  if self.kind == "layout" then
    local client = server.client(self.script)
    local at = self.position
    local text = vim.api.nvim_buf_get_lines(self.script, at[1] - 1, at[1], false)[1] or ""
    local column = math.min(at[2], #text)
    if client and client.offset_encoding ~= "utf-8" then
      column = vim.str_utfindex and select(2, pcall(function()
        if vim.fn.has("nvim-0.11") == 1 then return vim.str_utfindex(text, "utf-16", column, false) end
        return select(2, vim.str_utfindex(text, column))
      end)) or column
    end
    return "tilewright/layout", { textDocument = document, position = { line = at[1] - 1, character = column }, rows = 64, columns = 32 }
  end
  if self.kind == "pipeline" then
    return "tilewright/pipeline", { textDocument = document, entry = self.entry or "", architecture = self.architecture or "" }
  end
  return "tilewright/view", { textDocument = document, kind = self.kind, entry = self.entry, architecture = self.architecture, map = true }
end

function View:refresh()
  if self.frozen or not valid(self.buffer) then return end
  self:mark()
  if self.asking then
    self.again = true
    return
  end
  if not valid(self.script) or not server.client(self.script) then return end
  self.asking, self.again = true, false
  local method, params = self:question()
  local asked = server.version(self.script)
  server.request(self.script, method, params, function(problem, result)
    self.asking = false
    if not valid(self.buffer) then return end
    if problem then
      self.problem = problem
    elseif result == vim.NIL or result == nil then
      self.problem = "nothing under the cursor has a layout that an entry makes"
    else
      self:take(result)
    end
    self:mark()
    -- What was heard of meanwhile matters where there is no good answer: tools may be ready meanwhile.
    local typed = valid(self.script) and server.version(self.script) ~= asked
    if typed or (self.again and self.problem) then self:refresh() end
  end)
end

function View:take(result)
  local lines = vim.split(result.text:gsub("\n$", ""), "\n")
  local state = result.state or "ready"
  if state ~= "ready" then
    -- What was there stays, grey; a first text says why there is none yet.
    self.problem = lines[1]:gsub("^[#/ ]+", "")
    if self.version then return end
    self.map, self.kernel = {}, nil
    replace(self.buffer, lines)
    return
  end
  self.problem = nil
  self.uri = result.uri
  self.version = result.version ~= vim.NIL and result.version or nil
  self.dirty = self.version ~= server.version(self.script)
  self.map = result.map or map_of_text(lines)
  self.kernel = type(result.kernel) == "table" and result.kernel or nil
  if self.kind == "layout" then
    self.subject = result.name
  else
    self.entry = self.entry or result.entry or (result.uri and vim.uri_decode(result.uri:match("entry=([^&]*)") or "")) or nil
    local architecture = result.architecture or (result.uri and result.uri:match("^tilewright://[^/]+/([^/]+)/"))
    self.architecture = self.architecture or architecture
    self.subject = (self.entry or "") .. "  " .. (architecture or "")
  end
  replace(self.buffer, lines)
  self.shown_current = nil
  if self.version == server.version(self.script) then
    self:paint()
    local window = vim.api.nvim_get_current_win()
    if vim.api.nvim_win_get_buf(window) == self.script and self.kind ~= "layout" then self:follow(true) end
  end
end

-- Of a notification of the server: PTX or SASS are made, say.
function M.changed(uri)
  for _, view in pairs(by_buffer) do
    if view.uri == uri or (view.problem and not view.frozen) then view:refresh() end
  end
end

local function all(script, what)
  for view in pairs(by_script[script] or {}) do what(view) end
end

server.on_change(function(what)
  for _, view in pairs(by_buffer) do
    view.problem = nil
    if what == "the server has ended" or what == "the server was stopped" then view.asking = false end
    view:refresh()
    view:mark()
  end
end)

function M.renamed(script)
  all(script, function(view)
    view.uri, view.version, view.problem = nil, nil, nil
    view:refresh()
  end)
end

-- ---- windows ----------------------------------------------------------------------------------------------------------

local function watch(script)
  if watched[script] then return end
  watched[script] = true
  vim.api.nvim_buf_attach(script, false, {
    on_lines = function()
      if not next(by_script[script] or {}) then
        watched[script] = nil
        return true
      end
      -- The text may not be touched here, but the bar is drawn again together with the change.
      all(script, View.spoil)
      vim.schedule(function() all(script, View.refresh) end)
    end,
    on_reload = function()
      all(script, View.spoil)
      vim.schedule(function() all(script, View.refresh) end)
    end,
    on_detach = function()
      watched[script] = nil
      vim.schedule(function() all(script, View.mark) end)
    end,
  })
  local group = vim.api.nvim_create_augroup("tilewright_view_" .. script, {})
  vim.api.nvim_create_autocmd({ "CursorMoved", "CursorMovedI" }, {
    group = group,
    buffer = script,
    callback = function()
      all(script, function(view)
        if view.kind == "layout" then
          view:look_at_cursor()
        elseif view:window() then
          view:follow(true)
        end
      end)
    end,
  })
end

function View:window()
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(window) == self.buffer then return window end
  end
end

-- The layout view follows the cursor to what has a layout; elsewhere it keeps the last one.
function View:look_at_cursor()
  local at = vim.api.nvim_win_get_cursor(0)
  if self.position[1] == at[1] and self.position[2] == at[2] then return end
  self.position = at
  if not self.version then return self:refresh() end
  if self.looking then return end
  self.looking = true
  local method, params = self:question()
  server.request(self.script, method, params, function(problem, result)
    self.looking = false
    if not valid(self.buffer) or problem or result == nil or result == vim.NIL then return end
    self:take(result)
    self:mark()
  end)
end

function View:forget()
  by_buffer[self.buffer] = nil
  if by_script[self.script] then
    by_script[self.script][self] = nil
    if not next(by_script[self.script]) then
      by_script[self.script] = nil
      pcall(vim.api.nvim_del_augroup_by_name, "tilewright_view_" .. self.script)
    end
  end
  if valid(self.script) then
    vim.api.nvim_buf_clear_namespace(self.script, links_ns, 0, -1)
    vim.api.nvim_buf_clear_namespace(self.script, here_ns, 0, -1)
    all(self.script, View.paint)
  end
end

local function title_buffer(self)
  local name = "tilewright [" .. titles[self.kind] .. "] " .. vim.fs.basename(vim.api.nvim_buf_get_name(self.script))
  for i = 1, 100 do
    if pcall(vim.api.nvim_buf_set_name, self.buffer, i == 1 and name or name .. " " .. i) then return end
  end
end

function View:dress()
  vim.bo[self.buffer].syntax = syntaxes[self.kind] or ""
  title_buffer(self)
  local window = self:window()
  if not window then return end
  for option, value in pairs({ winbar = "%{%v:lua.require'tilewright.view'.winbar()%}", wrap = false, number = false,
    relativenumber = false, signcolumn = "no", foldenable = false, spell = false, list = false }) do
    vim.wo[window][0][option] = value
  end
end

-- A new window with a view of `script`: options are kind, entry, architecture, split ("vsplit" or "split").
function M.open(script, options)
  local self = setmetatable({
    script = script, kind = options.kind, entry = options.entry, architecture = options.architecture, map = {},
    position = vim.api.nvim_win_get_cursor(0),
  }, View)
  local width = math.floor(vim.api.nvim_win_get_width(0) * config.values.view_width)
  local height = math.floor(vim.api.nvim_win_get_height(0) / 2)
  vim.cmd(options.split == "split" and "belowright " .. height .. "split" or "rightbelow " .. width .. "vsplit")
  self.buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[self.buffer].bufhidden = "wipe"
  vim.bo[self.buffer].modifiable = false
  vim.bo[self.buffer].filetype = "tilewright"
  vim.api.nvim_win_set_buf(0, self.buffer)
  by_buffer[self.buffer] = self
  by_script[script] = by_script[script] or {}
  by_script[script][self] = true
  self:dress()
  local group = vim.api.nvim_create_augroup("tilewright_view_buffer_" .. self.buffer, {})
  vim.api.nvim_create_autocmd("CursorMoved", { group = group, buffer = self.buffer, callback = function() self:follow(false) end })
  vim.api.nvim_create_autocmd("BufWipeout", { group = group, buffer = self.buffer, callback = function() self:forget() end })
  vim.keymap.set("n", "<CR>", M.follow_link, { buffer = self.buffer, desc = "Tilewright: to the line of the script" })
  vim.keymap.set("n", "gd", M.follow_link, { buffer = self.buffer, desc = "Tilewright: to the line of the script" })
  vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = self.buffer, desc = "Tilewright: close this view" })
  vim.cmd.wincmd("p")
  watch(script)
  self:refresh()
  return self
end

-- Shows a kind in the view that is there already, else in a new one.
function M.show(script, options)
  for view in pairs(by_script[script] or {}) do
    local lowered = view.kind ~= "layout" and view.kind ~= "pipeline"
    local same = view.kind == options.kind or (lowered and options.kind ~= "layout" and options.kind ~= "pipeline")
    if same and not view.frozen and not view.compared and view:window() then
      view.kind = options.kind
      view.entry, view.architecture = options.entry or view.entry, options.architecture or view.architecture
      view.version, view.problem, view.uri, view.map, view.kernel = nil, nil, nil, {}, nil
      view.position = vim.api.nvim_get_current_buf() == script and vim.api.nvim_win_get_cursor(0) or view.position
      view.asking = false
      view:dress()
      view:refresh()
      return view
    end
  end
  return M.open(script, options)
end

function M.close(script)
  all(script, function(view)
    local window = view:window()
    if window and #vim.api.nvim_tabpage_list_wins(0) > 1 then vim.api.nvim_win_close(window, true) end
  end)
end

-- ---- differences ------------------------------------------------------------------------------------------------------

local function compare(one, other)
  for _, view in ipairs({ one, other }) do
    view.compared = true
    vim.api.nvim_win_call(view:window(), function() vim.cmd.diffthis() end)
  end
end

-- A view as it is now beside the one that goes on.
function M.diff_edit(script, options)
  local before = M.open(script, options)
  local function go_on()
    if not valid(before.buffer) then return end
    if not before:current() then return vim.defer_fn(go_on, 20) end
    before.frozen = true
    before:mark()
    vim.api.nvim_buf_clear_namespace(before.buffer, links_ns, 0, -1)
    compare(before, M.open(script, options))
  end
  go_on()
end

-- Two entries or architectures beside each other, both live.
function M.diff(script, kind, left, right)
  local one = M.open(script, vim.tbl_extend("force", { kind = kind }, left))
  local other = M.open(script, vim.tbl_extend("force", { kind = kind }, right))
  compare(one, other)
end

vim.api.nvim_create_autocmd("ColorScheme", { group = vim.api.nvim_create_augroup("tilewright_colours", {}), callback = colours })
vim.api.nvim_create_autocmd("OptionSet", { group = "tilewright_colours", pattern = "background", callback = function()
  for i = 1, kColours do vim.api.nvim_set_hl(0, "TilewrightLink" .. i, {}) end
  colours()
end })

return M
