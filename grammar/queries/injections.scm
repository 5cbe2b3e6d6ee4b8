((comment) @injection.content
  (#set! injection.language "comment"))

; Source text that a script hands to the CUDA compiler: T.evaluate(T.cuda.source("…")), cuda_source = """…"""
((call
  function: (attribute attribute: (identifier) @_name)
  arguments: (argument_list . (string (string_content) @injection.content)))
  (#any-of? @_name "source" "import_source" "cuda_source")
  (#set! injection.language "cuda"))
