-- The language server: where it is, its start, and what can go wrong with it. A server that ends is started again, one
-- that does not answer is called hung, one that is missing or replaced is told of, each with the way on. Nothing that the
-- user wrote depends on it.
local config = require("tilewright.config")
local M = { name = "tilewright" }

local running = {}   -- by client id: { pid, binary, stamp, buffers }
local ended = {}     -- when servers ended by themselves, in milliseconds
local leaving = false
local waiting = {}   -- what is to be told when no answer can come any more, with the client's id
local listeners = {} -- told with a reason when a server comes or goes

local tell = require("tilewright.notice").show
M.tell = tell
function M.on_change(listener) listeners[#listeners + 1] = listener end
local function changed(what)
  for _, listener in ipairs(listeners) do listener(what) end
end

-- Neovim 0.11 calls methods of clients with a colon, 0.10 with a dot.
local function call(client, name, ...)
  if vim.fn.has("nvim-0.11") == 1 then return client[name](client, ...) end
  return client[name](...)
end

-- The root of this plugin.
function M.plugin_root()
  return vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))))
end

-- The command of the server; nil, and what was looked for.
function M.command()
  local cmd = config.values.cmd
  if cmd then
    if vim.fn.executable(cmd[1]) == 1 then return cmd end
    return nil, { cmd[1] .. " (the option cmd)" }
  end
  local bundled = vim.fs.joinpath(M.plugin_root(), "bin", "tilewright")
  if vim.fn.executable(bundled) == 1 then return { bundled, "lsp" } end
  local found = vim.fn.exepath("tilewright")
  if found ~= "" then return { found, "lsp" } end
  return nil, { bundled, "tilewright on PATH" }
end

local function stamp_of(path)
  local stat = vim.uv.fs_stat(vim.fn.exepath(path))
  return stat and table.concat({ stat.ino, stat.size, stat.mtime.sec, stat.mtime.nsec }, ":") or nil
end

function M.client(buffer)
  for _, client in ipairs(vim.lsp.get_clients({ name = M.name, bufnr = buffer })) do
    if running[client.id] and not running[client.id].stopping then return client end
  end
end

function M.all()
  local out = {}
  for _, client in ipairs(vim.lsp.get_clients({ name = M.name })) do
    if running[client.id] then out[#out + 1] = { client = client, info = running[client.id] } end
  end
  return out
end

local function children()
  local out = {}
  -- Empty where the system cannot say.
  local ok, pids = pcall(vim.api.nvim_get_proc_children, vim.fn.getpid())
  for _, pid in ipairs(ok and pids or {}) do out[pid] = true end
  return out
end

local told_missing = false

-- Starts the server as Neovim would, but keeps how it ends for `on_exit`: Neovim's own message about it is longer than a
-- line, and everything would wait for a key press. Ours says more.
local function start_process(cmd, folder, how_it_ended)
  return function(dispatchers)
    local ours = vim.tbl_extend("force", dispatchers, {
      on_exit = function(code, signal)
        how_it_ended.code, how_it_ended.signal = code, signal
        dispatchers.on_exit(0, 0)
      end,
    })
    return vim.lsp.rpc.start(cmd, ours, { cwd = folder })
  end
end

local function on_exit(code, signal, id)
  local info = running[id]
  running[id] = nil
  if leaving or not info or info.stopping then return end
  vim.schedule(function()
    changed("the server has ended")
    local now = vim.uv.now()
    ended[#ended + 1] = now
    ended = vim.tbl_filter(function(t) return now - t < 60000 end, ended)
    local how = signal ~= 0 and ("signal " .. signal) or ("status " .. code)
    if #ended > config.values.restarts then
      tell(("the server ended %d times within a minute (%s) and is not started again. `:Tilewright restart` tries once more, "
        .. "`:Tilewright log` shows what it said. Your text is untouched."):format(#ended, how), vim.log.levels.ERROR)
      return
    end
    tell("the server ended unexpectedly (" .. how .. ") and is started again; `:Tilewright log` shows what it said",
      vim.log.levels.WARN)
    vim.defer_fn(function()
      for buffer in pairs(info.buffers) do
        if vim.api.nvim_buf_is_loaded(buffer) then M.attach(buffer) end
      end
    end, 100 * 2 ^ #ended)
  end)
end

-- Attaches a server to a tile script. Nil: there is none, which is said once.
function M.attach(buffer)
  if leaving then return nil end
  local cmd, looked = M.command()
  if not cmd then
    if not told_missing then
      told_missing = true
      tell("there is no server: looked for " .. table.concat(looked, " and ") .. ". Install it with `pip install tilewright`, or name "
        .. "it with the option cmd; then `:Tilewright restart`. `:checkhealth tilewright` says more.", vim.log.levels.WARN)
    end
    return nil
  end
  told_missing = false
  local name = vim.api.nvim_buf_get_name(buffer)
  local root = name ~= "" and vim.fs.root(buffer, { "tilewright.toml", "pyproject.toml", ".git" })
  root = root or (name ~= "" and vim.fs.dirname(name)) or vim.uv.cwd()
  local settings = next(config.values.settings) and config.values.settings or vim.empty_dict()
  local before, how_it_ended = children(), {}
  local ok, id = pcall(vim.lsp.start, {
    name = M.name,
    cmd = start_process(cmd, vim.fn.isdirectory(root) == 1 and root or nil, how_it_ended),
    root_dir = root,
    init_options = { tilewright = settings, status = true },
    settings = { tilewright = settings },
    flags = { debounce_text_changes = 0 },
    handlers = {
      ["tilewright/viewChanged"] = function(_, params) require("tilewright.view").changed(params.uri) end,
      ["$/tilewright/status"] = function(_, params)
        M.status = params
        if params.health ~= "ok" then tell(params.message, vim.log.levels.WARN) end
      end,
    },
    on_exit = function(_, _, id) on_exit(how_it_ended.code, how_it_ended.signal, id) end,
  }, {
    bufnr = buffer,
    reuse_client = function(client, new)
      local info = running[client.id]
      return client.name == new.name and info and not info.stopping and client.config.root_dir == new.root_dir
    end,
  })
  if not ok or not id then
    tell("the server could not be started: " .. tostring(id) .. ". `:checkhealth tilewright` says more.", vim.log.levels.ERROR)
    return nil
  end
  if not running[id] then
    running[id] = { binary = cmd[1], stamp = stamp_of(cmd[1]), buffers = {} }
    for pid in pairs(children()) do
      if not before[pid] then running[id].pid = pid end
    end
  end
  running[id].buffers[buffer] = true
  return id
end

-- Ends a server, whether or not it still listens.
local function stop(client)
  local info = running[client.id]
  if info then info.stopping = true end
  for buffer in pairs(info and info.buffers or {}) do
    if vim.api.nvim_buf_is_valid(buffer) then pcall(vim.lsp.buf_detach_client, buffer, client.id) end
  end
  call(client, "stop", true)
  local pid = info and info.pid
  if not pid then return end
  vim.defer_fn(function()
    -- One that hangs does not hear a polite word.
    if children()[pid] then vim.uv.kill(pid, "sigkill") end
  end, 1000)
end

function M.stop()
  for _, one in ipairs(M.all()) do stop(one.client) end
  changed("the server was stopped")
end

function M.restart()
  local buffers = {}
  for _, one in ipairs(M.all()) do
    for buffer in pairs(one.info.buffers) do buffers[buffer] = true end
    stop(one.client)
  end
  ended, told_missing, M.slow = {}, false, nil
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.b[buffer].tilewright then buffers[buffer] = true end
  end
  local started = 0
  for buffer in pairs(buffers) do
    if vim.api.nvim_buf_is_loaded(buffer) and M.attach(buffer) then started = started + 1 end
  end
  if started > 0 then tell("started again") end
end

-- Asks the server of a buffer. `done(problem, result, id)` is called once, later; `problem` is a text. Returns how to
-- cancel it.
function M.request(buffer, method, params, done, options)
  local client = M.client(buffer)
  if not client then
    vim.schedule(function() done("no server is running; `:Tilewright restart` starts one") end)
    return function() end
  end
  local finished, finish = false, nil
  local patience = options and options.patience
  if patience == nil then patience = config.values.patience end
  local timer = patience and vim.uv.new_timer()
  function finish(problem, result)
    if finished then return end
    finished = true
    waiting[finish] = nil
    if timer then timer:close() end
    done(problem, result)
  end
  if timer then
    timer:start(patience, 0, vim.schedule_wrap(function()
      if finished or M.slow == client.id then return end
      M.slow = client.id
      tell(("the server has not answered for %d s. It may still do so; `:Tilewright restart` ends it and starts another one. "
        .. "Your text is untouched."):format(math.floor(patience / 1000)), vim.log.levels.WARN)
      changed("the server does not answer")
    end))
  end
  local sent, id = call(client, "request", method, params, function(err, result)
    if M.slow == client.id then M.slow = nil end
    if err then return finish(err.message or vim.inspect(err)) end
    finish(nil, result)
  end, buffer)
  if not sent then finish("the server is not running any more") end
  if not finished then waiting[finish] = client.id end
  return function()
    if not sent or finished then return end
    call(client, "cancel_request", id)
    finish("cancelled")  -- Neovim keeps the server's own word about it to itself
  end
end
-- A server that ends answers nothing more.
M.on_change(function()
  for finish, id in pairs(vim.tbl_extend("force", {}, waiting)) do
    if not running[id] or running[id].stopping then finish("the server has ended") end
  end
end)

-- The version of a buffer that the server was told last.
function M.version(buffer)
  local known = vim.lsp.util.buf_versions
  return known and known[buffer] or vim.api.nvim_buf_get_changedtick(buffer)
end

local function look_for_upgrade()
  for _, one in ipairs(M.all()) do
    local stamp = stamp_of(one.info.binary)
    if stamp and one.info.stamp and stamp ~= one.info.stamp then
      one.info.stamp = stamp
      tell(one.info.binary .. " was replaced; the server that runs is still the old one. `:Tilewright restart` takes the new one.")
    end
  end
end

-- A buffer that gets another name is another document.
local function renamed(args)
  local info
  for _, one in ipairs(M.all()) do
    if one.info.buffers[args.buf] then info = one end
  end
  if not info then return end
  if args.event == "BufFilePre" then
    vim.lsp.buf_detach_client(args.buf, info.client.id)
    info.info.renaming = info.info.renaming or {}
    info.info.renaming[args.buf] = true
  elseif info.info.renaming and info.info.renaming[args.buf] then
    info.info.renaming[args.buf] = nil
    info.info.buffers[args.buf] = nil
    M.attach(args.buf)
    require("tilewright.view").renamed(args.buf)
  end
end

local group = vim.api.nvim_create_augroup("tilewright_server", {})
vim.api.nvim_create_autocmd("LspAttach", {
  group = group,
  callback = function(args)
    if running[args.data.client_id] then vim.schedule(function() changed("a server is attached") end) end
  end,
})
vim.api.nvim_create_autocmd("VimLeavePre", { group = group, callback = function() leaving = true end })
vim.api.nvim_create_autocmd({ "FocusGained", "BufEnter", "CursorHold" }, { group = group, callback = look_for_upgrade })
vim.api.nvim_create_autocmd({ "BufFilePre", "BufFilePost" }, { group = group, callback = renamed })
vim.api.nvim_create_autocmd("BufDelete", {
  group = group,
  callback = function(args)
    for _, one in ipairs(M.all()) do one.info.buffers[args.buf] = nil end
  end,
})

return M
