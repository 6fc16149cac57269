import assert from 'node:assert/strict'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { runCommandLine as run } from '../../../test/support/run-command-line.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { FoundDevice } from '../../core/compute-device.ts'

const gpu: FoundDevice = {
  engine: 'text',
  index: 0,
  backend: 'vulkan',
  name: 'A GPU',
  software: false,
  memoryBytes: 8 * 1024 ** 3,
  freeBytes: 1024 ** 3,
  driver: '1.2',
}

describe('devices', () => {
  it('reports that models run on the processor if there is no GPU', async () => {
    const { code, out } = await run(['devices'])
    assert.equal(code, 0)
    assert.match(out, /^No GPU was found; models run on the processor/)
    assert.deepEqual(JSON.parse((await run(['devices', '--json'])).out), { devices: [] })
  })

  it('shows only the known properties of each device', async () => {
    const unknown = { ...gpu, index: 1, name: null, software: true, memoryBytes: null, freeBytes: null, driver: null }
    const { out } = await run(['devices'], { backend: { listDevices: async () => [gpu, { ...gpu, freeBytes: null }, unknown] } })
    const [, first, second, third] = out.split('\n').map((line) => line.split(/ {2,}/))
    assert.deepEqual(first, ['text', 'vulkan', '0', 'A GPU', '8.6 GB, 1.1 GB free', '1.2'])
    assert.equal(second?.[4], '8.6 GB')
    assert.deepEqual(third, ['text', 'vulkan', '1', 'unknown (software: only used when named)'])
  })
})

describe('backup and restore', () => {
  const files: string[] = []
  const backend = {
    backup: async (_config: unknown, file: string) => {
      files.push(file)
      return { bytes: 1536 }
    },
    restore: async (_config: unknown, file: string) => void files.push(`restored ${file}`),
  }

  it('writes to the working folder and prints the size', async () => {
    const { out } = await run(['backup', 'b.tar'], { backend })
    assert.equal(out, `Wrote ${resolve('b.tar')} (1.5 kB).\n`)
    assert.equal(files.at(-1), resolve('b.tar'))
    await using folder = await createTemporaryFolder()
    const file = join(folder.path, 'b.tar')
    const { out: json } = await run(['backup', file, '--json'], { backend })
    assert.deepEqual(JSON.parse(json), { file, bytes: 1536 })
  })

  it('begins no backup that could not be written', async () => {
    files.length = 0
    await using folder = await createTemporaryFolder()
    for (const [place, fault] of [
      [join(folder.path, 'none', 'b.tar'), /^sepia backup: the folder .*none does not exist; create it/],
      [folder.path, /^sepia backup: .* is a folder; choose a file in it\./],
    ] as const) {
      const { code, err } = await run(['backup', place], { backend })
      assert.equal(code, 2)
      assert.match(err, fault)
    }
    assert.deepEqual(files, [])
  })

  it('reports a missing file before it asks for confirmation', async () => {
    const { code, err, questions } = await run(['restore', '/nope'], { backend, answer: 'y' })
    assert.deepEqual([code, err, questions], [2, '/nope: this file does not exist; choose one that sepia backup wrote.\n', []])
  })

  it('restores only after a yes', async () => {
    files.length = 0
    const file = import.meta.filename
    for (const answer of [null, 'n', '']) await run(['restore', file], { backend, answer })
    assert.deepEqual(files, [])
    await run(['restore', file], { backend, answer: 'yes' })
    await run(['restore', file, '--yes'], { backend })
    assert.deepEqual(files, [`restored ${file}`, `restored ${file}`])
  })
})

describe('doctor', () => {
  const findings = [
    { subject: 'database', healthy: true, message: 'is whole.' },
    { subject: 'outputs', healthy: false, message: '3 files are missing.' },
  ]

  it('prints its findings and fails if one check fails', async () => {
    const { code, out } = await run(['doctor'], { findings })
    assert.equal(code, 1)
    assert.match(out, /database.*is whole\./)
    assert.match(out, /outputs.*3 files are missing\./)
  })

  it('prints every finding as JSON', async () => {
    const { code, out } = await run(['doctor', '--json'], { findings })
    assert.equal(code, 1)
    assert.deepEqual(JSON.parse(out).findings, findings)
  })
})

describe('unusual command lines', () => {
  for (const argv of [
    ['constructor'],
    ['__proto__'],
    ['toString', 'x'],
    ['-x'],
    ['--constructor'],
    ['config', '--__proto__=1'],
    ['config', '--toString'],
  ])
    it(`sepia ${argv.join(' ')} is refused by name`, async () => {
      const { code, err, done } = await run(argv)
      assert.equal(code, 2, err)
      assert.match(err, /there is no such (command|flag)/)
      assert.deepEqual(done, [])
    })

  it('a switch takes no separate value, and the last of two equal flags applies', async () => {
    assert.match((await run(['account', 'disable', 'a1', '--yes=no'])).err, /^--yes: takes no value\.$/m)
    assert.equal((await run(['account', 'create', '--name', 'one', '--name', 'two'])).done[0], 'account {"name":"two","role":"member"}')
  })
})
