-- Everything works from here on without a call of setup(): servers start with the first tile script.
if vim.g.loaded_tilewright then return end
vim.g.loaded_tilewright = true

if vim.fn.has("nvim-0.10") == 0 then
  vim.schedule(function()
    vim.notify("tilewright: Neovim 0.10 or newer is needed, this is " .. tostring(vim.version()), vim.log.levels.ERROR)
  end)
  return
end

vim.api.nvim_create_user_command("Tilewright", function(args) require("tilewright.commands").run(args) end, {
  nargs = "*",
  desc = "Tilewright: views, runs and the server; see :help tilewright",
  complete = function(lead, line) return require("tilewright.commands").complete(lead, line) end,
})

local group = vim.api.nvim_create_augroup("tilewright", {})
vim.api.nvim_create_autocmd("FileType", {
  group = group,
  pattern = "python",
  callback = function(args) require("tilewright").consider(args.buf) end,
})
-- A file becomes a tile script with the line that imports the dialect, or with its new name.
vim.api.nvim_create_autocmd({ "InsertLeave", "TextChanged", "BufWritePost" }, {
  group = group,
  callback = function(args)
    if vim.bo[args.buf].filetype == "python" and not vim.b[args.buf].tilewright then
      require("tilewright").consider(args.buf)
    end
  end,
})
-- Documents of the server: definitions in its library of pipelines, the pages of codes.
vim.api.nvim_create_autocmd("BufReadCmd", {
  group = group,
  pattern = { "tilewright:/*", "tilewright://*" },
  callback = function(args) require("tilewright.document").read(args.buf, args.match) end,
})
for name, command in pairs({
  ["view-cuda"] = "view cuda", ["view-ptx"] = "view ptx", ["view-sass"] = "view sass", ["view-ir"] = "view lowered",
  ["view-plan"] = "view plan", ["view-report"] = "view report", ["diff-edit"] = "diff edit", ["diff-arch"] = "diff arch",
  layout = "layout", pipeline = "pipeline", run = "run", cancel = "cancel", runs = "runs", timeline = "timeline",
  entry = "entry", follow = "follow", close = "close",
}) do
  vim.keymap.set("n", "<Plug>(tilewright-" .. name .. ")", "<Cmd>Tilewright " .. command .. "<CR>",
    { desc = "Tilewright: " .. command })
end
