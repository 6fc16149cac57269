import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { assertRefused } from '../../../../test/support/wire/assert-refused.ts'
import { parseCountRequest, parseMessageRequest } from './message-request.ts'

const question = { role: 'user', content: 'What is new?' }
const send = (...content: readonly object[]) => ({
  model: 'm',
  max_tokens: 64,
  messages: [question, { role: 'assistant', content }, question],
})
const read = (...content: readonly object[]): string | null => {
  const { input } = parseMessageRequest(send(...content)).request
  assert.ok(input.type === 'chat')
  return input.messages[1]?.content ?? null
}
const call = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'news' }, caller: { type: 'direct' } }
const result = (type: string, content: unknown) => ({ type, tool_use_id: 'srvtoolu_1', content })
const page = (source: object) => ({ type: 'web_fetch_result', url: 'https://a.b', content: { type: 'document', title: 'A page', source } })

/** Blocks of server tools, and the text that a model reads in their place. */
const readable: readonly (readonly [block: object, text: string])[] = [
  [call, 'Called the tool web_search: {"query":"news"}'],
  [{ type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'list', server_name: 'files', input: {} }, 'Called the tool list of files: {}'],
  [
    result('web_search_tool_result', [
      { type: 'web_search_result', title: 'One', url: 'https://a.b', encrypted_content: 'x', page_age: 'May 1' },
      { type: 'web_search_result', title: 'Two', url: 'https://c.d', encrypted_content: 'x', page_age: null },
    ]),
    'Result of web_search:\nOne\nhttps://a.b\nMay 1\n\nTwo\nhttps://c.d',
  ],
  [result('web_search_tool_result', []), 'Result of web_search:\n(none)'],
  [
    result('web_search_tool_result', { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' }),
    'Result of web_search:\nError: max_uses_exceeded',
  ],
  [
    result('web_fetch_tool_result', page({ type: 'text', media_type: 'text/plain', data: 'Words' })),
    'Result of web_fetch:\nhttps://a.b\nA page\nWords',
  ],
  [
    result('web_fetch_tool_result', page({ type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' })),
    'Result of web_fetch:\nhttps://a.b\nA page\n(not readable here)',
  ],
  [
    result('code_execution_tool_result', {
      type: 'code_execution_result',
      stdout: '4\n',
      stderr: 'careful',
      return_code: 1,
      content: [{ type: 'code_execution_output', file_id: 'file_1' }],
    }),
    'Result of code_execution:\n4\n\ncareful\nExit code 1',
  ],
  [
    result('bash_code_execution_tool_result', {
      type: 'bash_code_execution_result',
      stdout: 'done',
      stderr: '',
      return_code: 0,
      content: [],
    }),
    'Result of bash_code_execution:\ndone',
  ],
  [
    result('text_editor_code_execution_tool_result', {
      type: 'text_editor_code_execution_view_result',
      file_type: 'text',
      content: 'a = 1',
    }),
    'Result of text_editor_code_execution:\na = 1',
  ],
  [
    result('text_editor_code_execution_tool_result', { type: 'text_editor_code_execution_create_result', is_file_update: false }),
    'Result of text_editor_code_execution:\nThe file was created.',
  ],
  [
    result('tool_search_tool_result', {
      type: 'tool_search_tool_search_result',
      tool_references: [{ type: 'tool_reference', tool_name: 'look' }],
    }),
    'Result of tool_search:\nlook',
  ],
  [{ ...result('mcp_tool_result', [{ type: 'text', text: 'a.txt' }]), is_error: false }, 'Result of the tool:\na.txt'],
  [{ ...result('mcp_tool_result', 'no folder'), is_error: true }, 'Result of the tool:\nError: no folder'],
]

suite('blocks of server tools in earlier answers', () => {
  for (const [block, text] of readable)
    test(`are read as text: ${text.replaceAll('\n', ' ').slice(0, 60)}`, () => {
      assert.equal(read(block), text)
      assert.equal(read({ ...block, cache_control: { type: 'ephemeral' } }), text)
      const { max_tokens: _, ...counted } = send(block)
      assert.ok(parseCountRequest(counted).input)
    })

  test('stand in the order of the answer, beside its text with citations', () => {
    const citations = [{ type: 'web_search_result_location', url: 'https://a.b', title: 'One', cited_text: 'x', encrypted_index: 'y' }]
    const found = result('web_search_tool_result', [])
    assert.equal(
      read({ type: 'text', text: 'I look.' }, call, found, { type: 'text', text: 'Nothing.', citations }),
      'I look.\nCalled the tool web_search: {"query":"news"}\nResult of web_search:\n(none)\nNothing.',
    )
  })

  for (const block of [
    { type: 'container_upload', file_id: 'file_1' },
    { type: 'advisor_tool_result', tool_use_id: 'a', content: 'x' },
    result('web_search_tool_result', [{ type: 'news_result' }]),
    { type: 'server_tool_use', id: 'a' },
  ])
    test(`are refused by name if their meaning is unknown: ${block.type}`, () => {
      const expected = { code: 'unsupported_parameter', param: 'messages[1].content[0]', says: new RegExp(block.type) } as const
      assertRefused(() => parseMessageRequest(send(block)), expected)
    })

  test('belong to the assistant', () => {
    const body = { ...send(), messages: [{ role: 'user', content: [call] }] }
    assertRefused(() => parseMessageRequest(body), { code: 'unsupported_parameter', param: 'messages[0].content[0]' })
  })
})
