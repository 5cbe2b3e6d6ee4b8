" PTX and SASS in views.
if exists("b:current_syntax") | finish | endif
syntax match tilewrightAsmLabel /^\s*\.\?[A-Za-z_$][A-Za-z0-9_$.]*:/
syntax match tilewrightAsmDirective /\.\(version\|target\|address_size\|visible\|entry\|func\|param\|reg\|shared\|global\|local\|const\|align\|extern\|file\|loc\|section\|pragma\|maxntid\|reqntid\|minnctapersm\)\>/
syntax match tilewrightAsmRegister /%[A-Za-z][A-Za-z0-9_.]*\|\<\(UR\|UP\|R\|P\)\(\d\+\|Z\|T\)\>/
syntax match tilewrightAsmOperation /^\s*\(\/\*[0-9a-f]\+\*\/\s*\)\?\({\s*\)\?\(@!\?U\?P\w\+\s\+\|@!\?%p\d\+\s\+\)\?\zs[A-Za-z][A-Za-z0-9_]*\(\.[A-Za-z0-9_:]\+\)*/
syntax match tilewrightAsmNumber /\<\(0[xX][0-9a-fA-F]\+\|0[fFdD][0-9a-fA-F]\+\|\d\+\)\>/
syntax match tilewrightAsmComment +//.*$\|/\*.\{-}\*/+
highlight default link tilewrightAsmLabel Label
highlight default link tilewrightAsmDirective PreProc
highlight default link tilewrightAsmRegister Identifier
highlight default link tilewrightAsmOperation Statement
highlight default link tilewrightAsmNumber Number
highlight default link tilewrightAsmComment Comment
let b:current_syntax = "tilewright_asm"
