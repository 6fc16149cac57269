import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { DataLines } from './data-lines.ts'

function read(...pieces: readonly string[]): string[] {
  const lines = new DataLines()
  return [...pieces.flatMap((piece) => lines.take(piece)), ...lines.end()]
}

suite('the data lines of a stream', () => {
  test('are complete, wherever pieces end', () => {
    const text = 'data: one\n\nevent: x\ndata:two\r\n\r\n: data: no\ndata: three'
    const expected = ['one', 'two', 'three']
    assert.deepEqual(read(text), expected)
    assert.deepEqual(read(...text), expected)
    for (let at = 0; at < text.length; at++) assert.deepEqual(read(text.slice(0, at), text.slice(at)), expected)
  })

  test('may end with CR, as the standard allows', () => {
    const text = ': hello\r\rdata: one\r\rdata: two\r\n\r\ndata: three\r'
    for (let at = 0; at <= text.length; at++) assert.deepEqual(read(text.slice(0, at), text.slice(at)), ['one', 'two', 'three'])
  })

  test('fail at a line without an end before it fills memory', () => {
    const lines = new DataLines()
    lines.take('data: ')
    const piece = 'x'.repeat(1 << 16)
    let taken = 0
    assert.throws(
      () => {
        for (; taken < 1000; taken++) lines.take(piece)
      },
      { code: 'inference_failed' },
    )
    assert.ok(taken <= 70, `${taken} pieces were taken`)
  })

  test('keep non-ASCII text, and an empty stream has none', () => {
    assert.deepEqual(read('data: {"a":1}\n\n: a comment\nevent: x\ndata:{"b":"ü"}\r\n\ndata: [DONE]'), ['{"a":1}', '{"b":"ü"}', '[DONE]'])
    assert.deepEqual(read('', '\n\n', 'event: x\n'), [])
  })

  test('are left out if they are empty, as in keep-alive messages', () => {
    assert.deepEqual(read('data:\n\ndata: \r\n\ndata: 1\n\ndata:'), ['1'])
  })

  test('are joined if JSON is spread over several, wherever pieces end', () => {
    const value = { choices: [{ delta: { content: 'a' } }] }
    const written = JSON.stringify(value, null, 1).split('\n')
    for (const end of ['\n', '\r\n', '\r']) {
      const text = `${written.map((line) => `data: ${line}${end}`).join('')}${end}data: {"b":1}${end}data: [DONE]${end}${end}`
      for (const lines of [read(text), read(...text), read(text.slice(0, 50), text.slice(50))])
        assert.deepEqual(
          lines.map((line) => (line === '[DONE]' ? line : JSON.parse(line))),
          [value, { b: 1 }, '[DONE]'],
        )
    }
  })

  test('may begin after a byte order mark', () => {
    assert.deepEqual(read('\uFEFFdata: 1\n', '\ndata: 2\n'), ['1', '2'])
  })

  test('contain the whole document of a server that does not stream', () => {
    const document = '{\n  "choices": [],\n\n  "data: x": 1\n}\n'
    assert.deepEqual(read(document), [document])
    assert.deepEqual(read('\uFEFF', ' \n', ...document), [document])
  })

  test('are the lines of a server that sends JSON alone in each', () => {
    for (const end of ['\n', '\r\n', '\n\n']) {
      const text = `{"a":1}${end}: a comment${end}data: {"b":"ü"}${end}[{"c":3}]${end}`
      const expected = ['{"a":1}', '{"b":"ü"}', '[{"c":3}]']
      for (const lines of [read(text), read(...text), read(text.trimEnd()), read(text.slice(0, 20), text.slice(20))])
        assert.deepEqual(lines, expected)
    }
    assert.deepEqual(read('[{"error":\n{}}\n]'), ['[{"error":\n{}}\n]'])
  })

  test('may be long', () => {
    const long = 'x'.repeat(1 << 21)
    assert.deepEqual(read('data: ', long.slice(0, 5), long.slice(5), '\n\ndata: [DONE]'), [long, '[DONE]'])
  })
})
