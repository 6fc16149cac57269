import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { describeFailure } from './failures.ts'

describe('describeFailure', () => {
  it('explains what to do if the address is in use', async () => {
    await using first = createServer()
    await new Promise<void>((resolve) => first.listen(0, '127.0.0.1', resolve))
    const bound = first.address()
    assert.ok(typeof bound === 'object' && bound !== null)
    const failure = await new Promise<unknown>((resolve) => createServer().once('error', resolve).listen(bound.port, '127.0.0.1'))
    assert.equal(
      describeFailure(failure),
      `127.0.0.1:${bound.port} is in use; stop the other program, or choose another --port (0 takes any free one).`,
    )
  })

  it('explains what to do if a host does not exist', () => {
    const failure = Object.assign(new Error('getaddrinfo ENOTFOUND no-such-host.invalid'), {
      code: 'ENOTFOUND',
      hostname: 'no-such-host.invalid',
    })
    assert.match(describeFailure(failure), /^no-such-host\.invalid is not a known name .* --host\.$/)
  })

  it('explains what to do if the data folder is not a folder', async () => {
    const failure = await mkdir(import.meta.filename, { recursive: true }).catch((error: unknown) => error)
    assert.equal(describeFailure(failure), `${import.meta.filename} is not a folder; choose another --data.`)
  })

  it('explains what to do if the data folder cannot be created', () => {
    const failure = Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall: 'mkdir', path: '/proc/data' })
    assert.equal(describeFailure(failure), '/proc/data cannot be created; choose another --data.')
  })

  it('explains what to do if the disk is full', () => {
    using database = new DatabaseSync(':memory:')
    database.exec('pragma max_page_count = 2; create table a (x)')
    const full = () => database.exec('insert into a values (zeroblob(100000))')
    assert.throws(full, (error) => describeFailure(error) === 'The disk is full or out of inodes (df -i); free some space and try again.')
  })

  it('explains what to do about a folder in place of a file', async () => {
    const failure = await writeFile(import.meta.dirname, '').catch((error: unknown) => error)
    assert.equal(describeFailure(failure), `${import.meta.dirname} is a folder instead of a file; move it away.`)
  })

  it('prints an expected error as a sentence, and a programming error with its stack', () => {
    assert.equal(describeFailure(new Error('Stop it first.')), 'Stop it first.')
    assert.match(describeFailure(new TypeError('x is not a function')), /x is not a function\n +at /)
  })
})
