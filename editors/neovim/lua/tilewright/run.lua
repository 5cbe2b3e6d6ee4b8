-- Runs of kernels on this machine or on a remote: progress, cancel, the report, the timeline, and what ran before.
local server = require("tilewright.server")
local M = {}

local runs = {}     -- the newest first
local panel         -- the buffer that shows them
local tokens = {}   -- by token of its progress
local number = 0
local kKept = 50    -- runs
local kEvents = 4000

local marks = { running = "▶", verified = "✓", unverified = "○", partial = "◐", review = "!", failed = "✗", incomplete = "?",
  cancelled = "■", errors = "✗", ["not run"] = "✗" }

local function first_line(run)
  local words = run.state
  if run.state == "running" then words = run.message or "starting" end
  if run.stale then words = words .. "  (of the script before its last change)" end
  return ("%s %s on %s: %s"):format(marks[run.state] or "·", run.entry, run.on, words)
end

local function draw()
  if not panel or not vim.api.nvim_buf_is_valid(panel) then return end
  local lines = {}
  for i, run in ipairs(runs) do
    lines[#lines + 1] = first_line(run)
    if run.text and (i == 1 or run.open) then
      for _, line in ipairs(vim.split(run.text:gsub("\n$", ""), "\n")) do lines[#lines + 1] = "  " .. line end
    end
    run.line = #lines
  end
  if #lines == 0 then lines = { "Nothing was run yet; `:Tilewright run` does." } end
  vim.bo[panel].modifiable = true
  vim.api.nvim_buf_set_lines(panel, 0, -1, false, lines)
  vim.bo[panel].modifiable = false
  vim.cmd("redrawstatus!")
end

local function at_cursor()
  local line = vim.api.nvim_win_get_cursor(0)[1]
  for _, run in ipairs(runs) do
    if run.line and line <= run.line then return run end
  end
  return runs[1]
end

-- The window with all runs.
function M.show()
  if panel and vim.api.nvim_buf_is_valid(panel) then
    for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      if vim.api.nvim_win_get_buf(window) == panel then return draw() end
    end
  else
    panel = vim.api.nvim_create_buf(false, true)
    vim.bo[panel].filetype = "tilewright"
    vim.bo[panel].modifiable = false
    pcall(vim.api.nvim_buf_set_name, panel, "tilewright [runs]")
    local function map(key, what, words) vim.keymap.set("n", key, what, { buffer = panel, desc = "Tilewright: " .. words }) end
    map("c", function() M.cancel() end, "cancel what runs")
    map("t", function() M.timeline(at_cursor()) end, "timeline of a run")
    map("<CR>", function() local run = at_cursor() if run then run.open = not run.open draw() end end, "open or close a report")
    map("q", "<Cmd>close<CR>", "close")
  end
  vim.cmd("botright 12split")
  vim.api.nvim_win_set_buf(0, panel)
  vim.wo[0][0].winbar = "%#TilewrightCurrent# ● %*runs%=<CR> report  t timeline  c cancel  q close "
  vim.wo[0][0].wrap, vim.wo[0][0].number, vim.wo[0][0].spell = false, false, false
  vim.cmd.wincmd("p")
  draw()
end

local function finished(run, problem, result)
  if problem then
    run.state = run.cancelled and "cancelled" or "not run"
    run.text = run.cancelled and "" or problem
  else
    local report = result.report ~= vim.NIL and result.report or nil
    run.state = report and report.verdict or (result.status == 1 and "errors" or "not run")
    run.text = vim.trim((result.text or "") .. "\n" .. (result.messages or ""))
    run.timeline = result.timeline ~= vim.NIL and result.timeline or nil
  end
  tokens[run.token] = nil
  draw()
  local level = (run.state == "verified" or run.state == "unverified" or run.state == "cancelled") and vim.log.levels.INFO
    or vim.log.levels.WARN
  -- Who looks at the window of runs sees it there.
  if vim.fn.bufwinid(panel) == -1 then server.tell(first_line(run), level) end
end

-- Runs an entry of a script on a target; with `profile` its report says where the time goes. The text that is run is the saved one.
function M.start(script, entry, on, profile)
  if vim.api.nvim_buf_get_name(script) == "" then
    return server.tell("only a script that has a file can be run: `:write NAME` gives it one", vim.log.levels.WARN)
  end
  if vim.bo[script].modified then
    local ok, problem = pcall(vim.api.nvim_buf_call, script, function() vim.cmd("silent write") end)
    if not ok then
      return server.tell("the script could not be saved, so it is not run: " .. tostring(problem), vim.log.levels.ERROR)
    end
  elseif not vim.uv.fs_stat(vim.api.nvim_buf_get_name(script)) then
    return server.tell("the script's file is gone; `:write` brings it back, then it can be run", vim.log.levels.WARN)
  end
  number = number + 1
  local run = { entry = entry, on = on, state = "running", token = "tilewright-run-" .. number, script = script,
    tick = vim.api.nvim_buf_get_changedtick(script) }
  table.insert(runs, 1, run)
  runs[kKept + 1] = nil
  tokens[run.token] = run
  M.show()
  run.stop = server.request(script, "tilewright/run", {
    textDocument = { uri = vim.uri_from_bufnr(script) }, entry = entry, on = on, timeline = kEvents, profile = profile or nil,
    workDoneToken = run.token,
  }, function(problem, result) finished(run, problem, result) end, { patience = false })
  draw()
end

function M.cancel()
  local any = false
  for _, run in ipairs(runs) do
    if run.state == "running" then
      any, run.cancelled, run.message = true, true, "is being cancelled"
      run.stop()
    end
  end
  if not any then server.tell("nothing runs") end
  draw()
end

-- Tracks of a run over its time, a letter for what went on longest in each stretch.
local function timeline_lines(timeline)
  local kWidth = 80
  local last = 1
  for _, span in ipairs(timeline.spans) do last = math.max(last, span["end"]) end
  local names = {}
  for _, process in ipairs(timeline.processes) do names[process.id] = process.name end
  local measured = timeline.unit == "ns"
  local what = measured and "nanoseconds, measured" or "steps of the simulator"
  local out = { what .. " 0 to " .. last .. "; █ runs   · waits   ▒ copies and other operations", "" }
  local seen
  for _, track in ipairs(timeline.tracks) do
    if names[track.process] ~= seen then
      seen = names[track.process]
      out[#out + 1] = seen
    end
    local weight, letter = {}, {}
    for _, span in ipairs(timeline.spans) do
      if span.process == track.process and span.track == track.id then
        local sign = track.id >= 1000 and "▒" or (span.name == "runs" or measured and not span.name:find("^wait ")) and "█" or "·"
        local first, final = math.floor(span.begin * kWidth / (last + 1)), math.floor(span["end"] * kWidth / (last + 1))
        for column = first, final do
          local share = math.min(span["end"], (column + 1) * last / kWidth) - math.max(span.begin, column * last / kWidth)
          if share >= (weight[column] or -1) then weight[column], letter[column] = share, sign end
        end
      end
    end
    local bar = {}
    for column = 0, kWidth - 1 do bar[#bar + 1] = letter[column] or " " end
    out[#out + 1] = ("  %-14s %s"):format(track.name, table.concat(bar))
  end
  -- What took longest, with its line.
  local sums = {}
  for _, span in ipairs(timeline.spans) do
    local key = span.name .. (span.line and ("  [line " .. span.line + 1 .. "]") or "")
    if span.name ~= "runs" then sums[key] = (sums[key] or 0) + span["end"] - span.begin end
  end
  local keys = vim.tbl_keys(sums)
  table.sort(keys, function(a, b) return sums[a] > sums[b] end)
  if #keys > 0 then vim.list_extend(out, { "", "waits and operations, " .. (measured and "nanoseconds" or "steps") .. " in all" }) end
  for i = 1, math.min(#keys, 12) do out[#out + 1] = ("  %8d  %s"):format(sums[keys[i]], keys[i]) end
  if timeline.left_out > 0 then out[#out + 1] = timeline.left_out .. " stretches are left out" end
  return out
end

function M.timeline(run)
  run = run or runs[1]
  if not run then return server.tell("nothing was run yet") end
  if not run.timeline then
    return server.tell("this run has no timeline: only the simulator of this machine (sim) and GPUs have one")
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = "wipe"
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, timeline_lines(run.timeline))
  vim.bo[buffer].modifiable = false
  vim.cmd("botright 16split")
  vim.api.nvim_win_set_buf(0, buffer)
  vim.wo[0][0].winbar = "%#TilewrightCurrent# ● %*timeline of " .. run.entry:gsub("%%", "%%%%") .. " on " .. run.on .. "%=<CR> line  q close "
  vim.wo[0][0].wrap, vim.wo[0][0].number = false, false
  vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = buffer })
  vim.keymap.set("n", "<CR>", function()
    local line = tonumber(vim.api.nvim_get_current_line():match("%[line (%d+)%]"))
    local window = vim.fn.bufwinid(run.script)
    if line and window ~= -1 then
      vim.api.nvim_set_current_win(window)
      vim.api.nvim_win_set_cursor(window, { line, 0 })
    end
  end, { buffer = buffer, desc = "Tilewright: to the line of the script" })
end

vim.api.nvim_create_autocmd("LspProgress", {
  group = vim.api.nvim_create_augroup("tilewright_run", {}),
  callback = function(args)
    local params = args.data and args.data.params
    local run = params and tokens[params.token]
    if not run or run.cancelled then return end
    local value = params.value or {}
    if value.kind ~= "end" and (value.message or value.title) then
      run.message = value.message or value.title
      draw()
    end
  end,
})
-- A report is about the text that was run.
vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, {
  group = "tilewright_run",
  callback = function(args)
    local changed = false
    for _, run in ipairs(runs) do
      local stale = run.script == args.buf and vim.api.nvim_buf_get_changedtick(args.buf) ~= run.tick and vim.bo[args.buf].modified
      if run.script == args.buf and (run.stale or false) ~= stale then run.stale, changed = stale, true end
    end
    if changed then draw() end
  end,
})

return M
