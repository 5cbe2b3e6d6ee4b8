-- :Tilewright and the commands of code lenses.
local server = require("tilewright.server")
local view = require("tilewright.view")
local M = {}

local function script()
  local found = view.script_of(vim.api.nvim_get_current_buf())
  if not found then
    for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      found = found or view.script_of(vim.api.nvim_win_get_buf(window))
    end
  end
  if not found then server.tell("this is no tile script: nothing in it imports the dialect", vim.log.levels.WARN) end
  return found
end

-- Entries of a script, one an architecture.
local function entries(of, done)
  server.request(of, "tilewright/entries", { textDocument = { uri = vim.uri_from_bufnr(of) } }, function(problem, result)
    if problem then return server.tell(problem, vim.log.levels.WARN) end
    if #result == 0 then return server.tell("the script has no entry; `:help tilewright-entries` says what one is", vim.log.levels.WARN) end
    done(result)
  end)
end

local function distinct(list, field)
  local out, seen = {}, {}
  for _, item in ipairs(list) do
    if not seen[item[field]] then
      seen[item[field]] = true
      out[#out + 1] = item[field]
    end
  end
  return out
end

-- The entry whose kernel the script's cursor is in, else the first.
local function entry_here(found, of)
  local best = found[1]
  local window = vim.api.nvim_get_current_buf() == of and 0 or vim.fn.bufwinid(of)
  if window == -1 then return best end
  local line = vim.api.nvim_win_get_cursor(window)[1] - 1
  for _, e in ipairs(found) do
    if e.range and e.range.start.line <= line and (not best.range or e.range.start.line > best.range.start.line) then best = e end
  end
  return best
end

local function targets(of, done)
  local client = server.client(of)
  if not client then return done({ "sim", "gpu" }) end
  server.request(of, "textDocument/codeLens", { textDocument = { uri = vim.uri_from_bufnr(of) } }, function(_, lenses)
    local out = {}
    for _, lens in ipairs(lenses or {}) do
      local argument = lens.command and lens.command.command == "tilewright.run" and lens.command.arguments[1]
      if argument and not vim.list_contains(out, argument.on) then out[#out + 1] = argument.on end
    end
    done(#out > 0 and out or { "sim", "gpu" })
  end)
end

local sub = {}

sub.view = {
  words = vim.list_extend({ "ir" }, view.kinds),
  run = function(args)
    local kind = args[1] or "cuda"
    if kind == "ir" then kind = "lowered" end
    if not vim.list_contains(view.kinds, kind) then
      return server.tell("there is no view '" .. kind .. "'; there are " .. table.concat(view.kinds, ", "), vim.log.levels.WARN)
    end
    local of = script()
    if not of then return end
    if vim.api.nvim_get_current_buf() ~= of then return view.show(of, { kind = kind }) end
    entries(of, function(found)
      local e = entry_here(found, of)
      for _, shown in ipairs(view.of_script(of)) do
        if shown:window() and shown.entry then return view.show(of, { kind = kind }) end
      end
      view.show(of, { kind = kind, entry = e.entry, architecture = e.architecture })
    end)
  end,
}
sub.layout = { run = function()
  local of = script()
  if of then view.show(of, { kind = "layout", split = "split" }) end
end }
sub.pipeline = { run = function()
  local of = script()
  if of then entries(of, function(found) view.show(of, { kind = "pipeline", entry = entry_here(found, of).entry }) end) end
end }
sub.follow = { run = function() view.follow_link() end }
sub.close = { run = function()
  local of = script()
  if of then view.close(of) end
end }
sub.entry = { run = function()
  local of = script()
  if not of then return end
  entries(of, function(found)
    vim.ui.select(found, {
      prompt = "Entry and architecture of the views",
      format_item = function(e) return e.entry .. "  " .. e.architecture .. (e.failed and "  (has errors)" or "") end,
    }, function(chosen)
      if not chosen then return end
      local shown = view.of_script(of)
      if #shown == 0 then return view.show(of, { kind = "cuda", entry = chosen.entry, architecture = chosen.architecture }) end
      for _, one in ipairs(shown) do
        if one.kind ~= "layout" and not one.frozen then
          view.show(of, { kind = one.kind, entry = chosen.entry, architecture = chosen.architecture })
        end
      end
    end)
  end)
end }
sub.diff = {
  words = { "edit", "arch", "entry" },
  run = function(args)
    local of = script()
    if not of then return end
    local what, kind = args[1] or "edit", args[2] or "cuda"
    if what ~= "edit" and what ~= "arch" and what ~= "entry" then
      return server.tell("there is no difference '" .. what .. "'; there are edit, arch, entry", vim.log.levels.WARN)
    end
    if kind == "ir" then kind = "lowered" end
    entries(of, function(found)
      local here = entry_here(found, of)
      if what == "edit" then return view.diff_edit(of, { kind = kind, entry = here.entry, architecture = here.architecture }) end
      if what == "arch" then
        local others = vim.tbl_filter(function(e) return e.entry == here.entry and e.architecture ~= here.architecture end, found)
        if #others == 0 then
          return server.tell(here.entry .. " is compiled for " .. here.architecture
            .. " alone; a comment `# tilewright: arch sm_90a sm_100a` names several", vim.log.levels.WARN)
        end
        return view.diff(of, kind, { entry = here.entry, architecture = here.architecture },
          { entry = here.entry, architecture = others[1].architecture })
      end
      local others = vim.tbl_filter(function(name) return name ~= here.entry end, distinct(found, "entry"))
      if #others == 0 then return server.tell("the script has one entry only", vim.log.levels.WARN) end
      vim.ui.select(others, { prompt = "Compare " .. here.entry .. " with" }, function(chosen)
        if chosen then view.diff(of, kind, { entry = here.entry }, { entry = chosen }) end
      end)
    end)
  end,
}
local function start(args, profile)
  local of = script()
  if not of then return end
  entries(of, function(found)
    local entry = args[2] and table.concat(args, " ", 2) or entry_here(found, of).entry
    if args[1] then return require("tilewright.run").start(of, entry, args[1], profile) end
    targets(of, function(names)
      vim.ui.select(names, { prompt = (profile and "Profile " or "Run ") .. entry .. " on" }, function(chosen)
        if chosen then require("tilewright.run").start(of, entry, chosen, profile) end
      end)
    end)
  end)
end
sub.run = { run = function(args) start(args, false) end, words = { "sim", "gpu" } }
sub.profile = { run = function(args) start(args, true) end, words = { "sim", "gpu" } }
-- The server asks, with all that the remotes of the script's settings would execute.
sub.trust = { run = function()
  local of = script()
  if not of then return end
  server.request(of, "tilewright/trust", { textDocument = { uri = vim.uri_from_bufnr(of) } }, function(problem, result)
    if problem then return server.tell(problem.message or tostring(problem), vim.log.levels.WARN) end
    server.tell(result.trusted and "the remotes of this script's settings are trusted" or "not trusted")
  end)
end }
sub.cancel = { run = function() require("tilewright.run").cancel() end }
sub.runs = { run = function() require("tilewright.run").show() end }
sub.timeline = { run = function() require("tilewright.run").timeline() end }
sub.restart = { run = function() server.restart() end }
sub.stop = { run = function() server.stop() end }
sub.log = { run = function()
  local path = vim.lsp.log and vim.lsp.log.get_filename and vim.lsp.log.get_filename() or vim.lsp.get_log_path()
  vim.cmd.split(vim.fn.fnameescape(path))
  vim.cmd("normal! G")
end }
sub.messages = { run = function()
  for _, message in ipairs(require("tilewright.notice").said) do vim.api.nvim_echo({ { message } }, false, {}) end
end }
sub.health = { run = function() vim.cmd("checkhealth tilewright") end }
sub.build = { run = function() require("tilewright.build").run() end }

function M.run(args)
  local words = vim.list_slice(args.fargs, 2)
  local name = args.fargs[1] or "view"
  if not sub[name] then
    local known = vim.tbl_keys(sub)
    table.sort(known)
    return server.tell("there is no ':Tilewright " .. name .. "'; there are " .. table.concat(known, ", "), vim.log.levels.WARN)
  end
  sub[name].run(words)
end

function M.complete(lead, line)
  local words = vim.split(line, "%s+")
  local from = {}
  if #words <= 2 then
    from = vim.tbl_keys(sub)
  elseif sub[words[2]] and #words == 3 then
    from = sub[words[2]].words or {}
  elseif words[2] == "diff" then
    from = view.kinds
  end
  table.sort(from)
  return vim.tbl_filter(function(word) return vim.startswith(word, lead) end, from)
end

-- What the server's code lenses ask the editor to do.
function M.client_commands()
  if vim.lsp.commands["tilewright.run"] then return end
  vim.lsp.commands["tilewright.run"] = function(command)
    local argument = command.arguments[1]
    require("tilewright.run").start(vim.uri_to_bufnr(argument.textDocument.uri), argument.entry, argument.on)
  end
  vim.lsp.commands["tilewright.view"] = function(command, context)
    local uri = command.arguments[1].uri
    local kind, architecture = uri:match("^tilewright://([^/]+)/([^/]+)/")
    local entry = vim.uri_decode(uri:match("entry=([^&]*)") or "")
    view.show(context.bufnr or vim.api.nvim_get_current_buf(), { kind = kind, entry = entry, architecture = architecture })
  end
  vim.lsp.commands["tilewright.trust"] = function() sub.trust.run() end
  vim.lsp.commands["tilewright.entries"] = function() sub.entry.run() end
end

return M
