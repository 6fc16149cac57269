import type { Grammar } from './gbnf.ts'

/** Adds the rules of any JSON value, on one line: a model that may write whitespace may write it for ever. */
export function defineJson(grammar: Grammar): void {
  grammar.define('ws', '" "?')
  grammar.define(
    'char',
    '[^"\\\\\\x7F\\x00-\\x1F] | "\\\\" (["\\\\/bfnrt] | "u" ([0-9abcefABCEF] [0-9a-fA-F]{3} | [dD] [0-7] [0-9a-fA-F]{2}))',
  )
  grammar.define('string', '"\\"" char* "\\""')
  grammar.define('digits', '"0" | [1-9] [0-9]{0,15}')
  grammar.define('fraction', '("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,2})?')
  grammar.define('integer', '"-"? digits')
  grammar.define('number', '"-"? digits fraction')
  grammar.define('boolean', '"true" | "false"')
  grammar.define('null', '"null"')
  grammar.define('value', 'object | array | string | number | boolean | null')
  grammar.define('object', '"{" ws ( string ":" ws value ws ("," ws string ":" ws value ws)* )? "}"')
  grammar.define('array', '"[" ws ( value ws ("," ws value ws)* )? "]"')
}
