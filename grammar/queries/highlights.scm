; Later patterns win.

(identifier) @variable
((identifier) @constant (#match? @constant "^[A-Z][A-Z0-9_]*$"))

(attribute attribute: (identifier) @property)
(keyword_argument name: (identifier) @variable.parameter)
(keyword_pattern name: (identifier) @property)

(parameters (identifier) @variable.parameter)
(lambda_parameters (identifier) @variable.parameter)
(typed_parameter name: (identifier) @variable.parameter)
(default_parameter name: (identifier) @variable.parameter)
(typed_default_parameter name: (identifier) @variable.parameter)
(list_splat_pattern name: (identifier) @variable.parameter)
(dictionary_splat_pattern name: (identifier) @variable.parameter)

(call function: (identifier) @function.call)
(call function: (attribute attribute: (identifier) @function.method.call))
(function_definition name: (identifier) @function)
(class_definition name: (identifier) @type)
(type_alias_statement name: (identifier) @type)
(type_parameter name: (identifier) @type)
(class_pattern class: (identifier) @type)

(typed_parameter type: (identifier) @type)
(typed_default_parameter type: (identifier) @type)
(assignment type: (identifier) @type)
(function_definition return_type: (identifier) @type)
(typed_parameter type: (attribute attribute: (identifier) @type))
(typed_default_parameter type: (attribute attribute: (identifier) @type))
(assignment type: (attribute attribute: (identifier) @type))

(decorator "@" @attribute)
(decorator expression: (identifier) @attribute)
(decorator expression: (attribute attribute: (identifier) @attribute))
(decorator expression: (call function: (identifier) @attribute))
(decorator expression: (call function: (attribute attribute: (identifier) @attribute)))

(import_statement name: (dotted_name (identifier) @module))
(import_from_statement module_name: (dotted_name (identifier) @module))
(import_from_statement module_name: (relative_import (dotted_name (identifier) @module)))

((identifier) @variable.builtin (#any-of? @variable.builtin "self" "cls"))

(integer) @number
(float) @number.float
(imaginary) @number
[(true) (false)] @boolean
[(none) (ellipsis)] @constant.builtin
(comment) @comment
(line_continuation) @punctuation.special

(string) @string
(escape_sequence) @string.escape
(interpolation ["{" "}"] @punctuation.special)
(interpolation expression: (_) @none)
(type_conversion) @punctuation.special
(module . (expression_statement (string) @string.documentation))
(function_definition body: (block . (expression_statement (string) @string.documentation)))
(class_definition body: (block . (expression_statement (string) @string.documentation)))

["and" "in" "is" "not" "or" "not in" "is not"] @keyword.operator
["def" "lambda"] @keyword.function
["class" "type"] @keyword.type
["async" "await"] @keyword.coroutine
["return" "yield"] @keyword.return
["import" "from"] @keyword.import
["if" "elif" "else" "match" "case"] @keyword.conditional
["for" "while"] @keyword.repeat
["try" "except" "finally" "raise"] @keyword.exception
["as" "assert" "del" "global" "nonlocal" "with"] @keyword
[(break_statement) (continue_statement)] @keyword.repeat
(pass_statement) @keyword
(for_statement "in" @keyword.repeat)
(for_in_clause "in" @keyword.repeat)

[
  "+" "-" "*" "/" "//" "%" "@" "**" "<<" ">>" "&" "|" "^" "~"
  "<" ">" "<=" ">=" "==" "!="
  "=" ":=" "->"
  "+=" "-=" "*=" "/=" "//=" "%=" "@=" "**=" "<<=" ">>=" "&=" "|=" "^="
] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":" ";" "."] @punctuation.delimiter
