type Call = { readonly id?: unknown; readonly name: string; readonly text: unknown; readonly index?: unknown }

const delta = (fields: object, more: object = {}) => ({ choices: [{ index: 0, delta: fields, finish_reason: null, ...more }] })
const end = (reason: string, more: object = {}) => ({ ...delta({}, { finish_reason: reason }), ...more })
const usage = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } }
const called = ({ id, name, text, index }: Call) => ({
  ...(index !== undefined && { index }),
  ...(id !== undefined && { id }),
  type: 'function',
  function: { name, arguments: text },
})
const calls = (...list: readonly Call[]) => delta({ tool_calls: list.map(called) })
const look = (id: unknown, text: unknown = '{}', index: unknown = 0): Call => ({ id, name: 'look', text, index })

/** Unusual streams of real servers with OpenAI's interface, by their quirk. */
export const serverQuirks: Readonly<Record<string, readonly unknown[]>> = {
  'nothing odd': [delta({ role: 'assistant', content: 'well ' }), delta({ content: 'done' }), end('stop'), usage],
  'no counts': [delta({ content: 'well done' }), end('stop')],
  'counts in x_groq': [delta({ content: 'well done' }), end('stop', { x_groq: { usage: usage.usage } })],
  'counts in timings': [delta({ content: 'well done' }), end('stop', { timings: { prompt_n: 3, predicted_n: 2 } })],
  'no end': [delta({ content: 'well done' }), usage],
  'a filter': [delta({ content: 'well ' }), end('content_filter'), usage],
  'the limit': [delta({ content: 'well ' }), end('MAX_TOKENS'), usage],
  'a refusal': [delta({ refusal: 'No.' }), end('stop'), usage],
  'nothing said': [delta({ role: 'assistant', content: '' }), end('stop'), usage],
  'only thoughts': [delta({ reasoning_content: 'hm' }), end('length'), usage],
  'thoughts, text and a call': [delta({ reasoning: 'hm' }), delta({ content: 'well' }), calls(look('c1')), end('tool_calls'), usage],
  'parts of thoughts and text': [
    delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }),
    delta({ content: [{ type: 'text', text: 'well done' }] }),
    end('stop'),
    usage,
  ],
  'a call that ends with stop': [calls(look('c1')), end('stop'), usage],
  'a call of old': [delta({ function_call: { name: 'look', arguments: '{"a":1}' } }), end('function_call'), usage],
  'a call that is cut': [calls(look('c1', '{"a": "b')), end('length'), usage],
  'calls under one number': [calls(look('c1', '{"a":1}')), calls(look('c2', '{"a":2}')), end('tool_calls'), usage],
  'calls without number and id': [calls({ name: 'look', text: '{"a":1}' }, { name: 'look', text: '{"a":2}' }), end('tool_calls'), usage],
  'calls with empty ids': [calls(look('', '{"a":1}', undefined)), calls(look('', '{"a":2}', undefined)), end('tool_calls'), usage],
  'calls with one id': [calls(look('c1', '{"a":1}', 0), look('c1', '{"a":2}', 1)), end('tool_calls'), usage],
  'an id with dots and colons': [calls(look('functions.look:0')), end('tool_calls'), usage],
  'an id of 305 letters': [calls(look(`call_${'x'.repeat(300)}`)), end('tool_calls'), usage],
  'an id that is a number': [calls(look(7)), end('tool_calls'), usage],
  'a name of 109 letters': [calls({ id: 'c1', name: `mcp.look/${'x'.repeat(100)}`, text: '{}', index: 0 }), end('tool_calls'), usage],
  'arguments that are an object': [calls(look('c1', { a: 1 })), end('tool_calls'), usage],
  'arguments that are empty': [calls(look('c1', '')), end('tool_calls'), usage],
  'arguments that are null': [calls(look('c1', null)), end('tool_calls'), usage],
  'arguments that are a list': [calls(look('c1', '[1]')), end('tool_calls'), usage],
  'arguments that are no JSON': [calls(look('c1', '{"a": tru')), end('tool_calls'), usage],
}
