;;; tilewright.el --- Tile scripts in Emacs  -*- lexical-binding: t -*-

;; Emacs 29 or newer; 28 with the package `eglot'.  In init.el:
;;
;;   (load "/path/to/tilewright/editors/emacs/tilewright.el")
;;
;; Then `M-x eglot' in a script, or for every script by itself:
;;
;;   (add-hook 'python-base-mode-hook #'tilewright-maybe)   ; Emacs 28: python-mode-hook
;;
;; Diagnostics, quick fixes (`eglot-code-actions'), hover, completion, renaming and navigation are eglot's own.  The
;; server's code lenses are not shown by eglot: `tilewright-view' and `tilewright-run' do what they offer.

(require 'seq)

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '((python-mode python-ts-mode) . ("tilewright" "lsp"))))

(defun tilewright-script-p ()
  "Is this buffer a tile script?  As the server judges files."
  (or (and buffer-file-name (string-suffix-p ".tile.py" buffer-file-name))
      (save-excursion
        (goto-char (point-min))
        (re-search-forward "\\btvm\\b\\|\\bprim_func\\b\\|#[ \t]*tilewright:" nil t))))

(defun tilewright-maybe ()
  "Start the server where this buffer is a tile script."
  (when (and (tilewright-script-p) (executable-find "tilewright"))
    (eglot-ensure)))

(declare-function eglot-current-server "eglot")
(declare-function eglot--TextDocumentIdentifier "eglot")
(declare-function jsonrpc-request "jsonrpc")

(defun tilewright--ask (method &rest params)
  "Ask the server of this buffer METHOD about its document, with PARAMS."
  (let ((server (or (eglot-current-server) (user-error "No server is running: M-x eglot starts one"))))
    (eglot--signal-textDocument/didChange)
    (jsonrpc-request server method (append (list :textDocument (eglot--TextDocumentIdentifier)) params))))

(defun tilewright--show (name text)
  "Show TEXT in a read-only buffer called NAME beside the script."
  (with-current-buffer (get-buffer-create name)
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert text)
      (goto-char (point-min)))
    (special-mode)
    (display-buffer (current-buffer))))

(defun tilewright--entry ()
  "The entry whose kernel point is in; empty: the first of the script."
  (let ((line (1- (line-number-at-pos))) (from -1) (entry ""))
    (seq-doseq (e (tilewright--ask :tilewright/entries))
      (let ((start (plist-get (plist-get (plist-get e :range) :start) :line)))
        (when (and start (<= start line) (> start from))
          (setq from start entry (plist-get e :entry)))))
    entry))

(defun tilewright-view (kind)
  "Show what the kernel around point becomes: KIND is cuda, ptx, sass, lowered, tirx, plan or report.
The buffer shows the script as it is now; ask again after an edit."
  (interactive (list (completing-read "View: " '("cuda" "ptx" "sass" "lowered" "tirx" "plan" "report") nil t)))
  (let ((view (tilewright--ask :tilewright/view :kind kind :entry (tilewright--entry))))
    (tilewright--show (format "*tilewright %s*" kind) (plist-get view :text))))

(defun tilewright-pipeline ()
  "Show the buffers and barriers of the kernel around point."
  (interactive)
  (tilewright--show "*tilewright pipeline*" (plist-get (tilewright--ask :tilewright/pipeline :entry (tilewright--entry)) :text)))

(defun tilewright-run (entry target)
  "Run ENTRY of this script, which is saved first, on TARGET: sim, gpu, or a remote of tilewright.toml."
  (interactive
   (list (completing-read "Entry: " (seq-map (lambda (e) (plist-get e :entry)) (tilewright--ask :tilewright/entries)) nil t)
         (completing-read "On: " '("sim" "gpu") nil nil nil nil "sim")))
  (save-buffer)
  (let* ((server (or (eglot-current-server) (user-error "No server is running: M-x eglot starts one")))
         (result (jsonrpc-request server :tilewright/run
                                  (list :textDocument (eglot--TextDocumentIdentifier) :entry entry :on target) :timeout nil)))
    (tilewright--show "*tilewright run*" (concat (plist-get result :text) (plist-get result :messages)))))

(provide 'tilewright)
;;; tilewright.el ends here
