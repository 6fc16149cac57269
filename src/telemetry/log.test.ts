import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { BufferedLines } from './log.ts'

function open(): { readonly lines: BufferedLines; readonly writes: string[]; next(): Promise<void> } {
  const writes: string[] = []
  let written = Promise.withResolvers<void>()
  const write = (text: string) => {
    writes.push(text)
    written.resolve()
    written = Promise.withResolvers()
  }
  return { lines: new BufferedLines({ write }), writes, next: () => written.promise }
}

describe('lines of the log', () => {
  test('that arrive together are written together, in order', async () => {
    const { lines, writes, next } = open()
    const written = next()
    for (const line of ['a\n', 'b\n', 'c\n']) lines.write(line)
    assert.deepEqual(writes, [])
    // What waits keeps no process alive.
    const alive = setTimeout(() => {}, 10_000)
    await written
    clearTimeout(alive)
    assert.deepEqual(writes, ['a\nb\nc\n'])
  })

  test('with an error are written at once, after all earlier lines', () => {
    const { lines, writes } = open()
    lines.write('{"level":"info","msg":"before"}\n')
    lines.write('{"level":"error","msg":"now"}\n')
    assert.deepEqual(writes, ['{"level":"info","msg":"before"}\n{"level":"error","msg":"now"}\n'])
  })

  test('never exceed their limit of memory', () => {
    const { lines, writes } = open()
    for (let count = 0; count < 1000; count++) lines.write('x'.repeat(1000))
    assert.ok(writes.join('').length > 900_000)
    assert.ok(writes.every((text) => text.length < 70_000))
    lines[Symbol.dispose]()
    assert.equal(writes.join('').length, 1_000_000)
  })

  test('are dropped and counted while their reader is blocked, and never exceed their limit of memory', () => {
    const writes: string[] = []
    const stream = { writableLength: 0, write: (text: string) => void writes.push(text) }
    const lines = new BufferedLines(stream)
    stream.writableLength = 20 * 1024 * 1024
    for (let count = 0; count < 1000; count++) lines.write(`${'x'.repeat(999)}\n`)
    lines.write('{"level":"error"}\n')
    assert.deepEqual(writes, [])
    stream.writableLength = 0
    lines.write('{"level":"error","msg":"now"}\n')
    lines[Symbol.dispose]()
    const [first = '', next = ''] = writes.join('').split('\n')
    const { level, lines: lost, msg } = JSON.parse(first)
    assert.deepEqual({ level, lost, msg }, { level: 'warn', lost: 1001, msg: 'log lines lost while nobody read' })
    assert.equal(next, '{"level":"error","msg":"now"}')
  })

  test('are written when they are disposed of', () => {
    const { lines, writes } = open()
    lines.write('last\n')
    lines[Symbol.dispose]()
    assert.deepEqual(writes, ['last\n'])
  })

  for (const [how, end] of [
    ['exits', 'process.exit(3)'],
    ['ends by itself', ''],
    ['fails', 'setTimeout(() => { throw new Error("unforeseen") })'],
    ['rejects what nobody catches', 'Promise.reject(new Error("unforeseen"))'],
  ] as const)
    test(`are written when the process ${how}`, () => {
      const module = JSON.stringify(new URL('./log.ts', import.meta.url).href)
      const script = `const { BufferedLines } = await import(${module})
        new BufferedLines(process.stderr).write('the last line\\n')
        ${end}`
      const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' })
      assert.match(stderr, /^the last line$/m)
    })
})
