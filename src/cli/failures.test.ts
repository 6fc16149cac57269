import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { describeFailure } from './failures.ts'

describe('describeFailure', () => {
  it('says what to do when the address is taken', async () => {
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

  it('says what to do when a host does not exist', () => {
    const failure = Object.assign(new Error('getaddrinfo ENOTFOUND no-such-host.invalid'), {
      code: 'ENOTFOUND',
      hostname: 'no-such-host.invalid',
    })
    assert.match(describeFailure(failure), /^no-such-host\.invalid is not a known name .* --host\.$/)
  })

  it('says what to do when the data folder is none', async () => {
    const failure = await mkdir(import.meta.filename, { recursive: true }).catch((error: unknown) => error)
    assert.equal(describeFailure(failure), `${import.meta.filename} is not a folder; choose another --data.`)
  })

  it('says what to do when the data folder cannot be made', () => {
    const failure = Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall: 'mkdir', path: '/proc/data' })
    assert.equal(describeFailure(failure), '/proc/data cannot be created; choose another --data.')
  })

  it('says what to do when a database has no room left', () => {
    using database = new DatabaseSync(':memory:')
    database.exec('pragma max_page_count = 2; create table a (x)')
    const full = () => database.exec('insert into a values (zeroblob(100000))')
    assert.throws(full, (error) => describeFailure(error) === 'The disk is full or out of inodes (df -i); free some space and try again.')
  })

  it('says what to do about a folder in the place of a file', async () => {
    const failure = await writeFile(import.meta.dirname, '').catch((error: unknown) => error)
    assert.equal(describeFailure(failure), `${import.meta.dirname} is a folder instead of a file; move it away.`)
  })

  it('leaves a sentence alone, but shows the stack of a mistake', () => {
    assert.equal(describeFailure(new Error('Stop it first.')), 'Stop it first.')
    assert.match(describeFailure(new TypeError('x is not a function')), /x is not a function\n +at /)
  })
})
