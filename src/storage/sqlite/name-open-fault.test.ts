import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { takeFileLock } from '../../locking/file-lock.ts'
import { nameOpenFault } from '../write-fault.ts'
import { isUpToDate, openDatabase } from './open-database.ts'
import { takeOwnerLock } from './owner-lock.ts'

describe('a file that is not a database of Sepia', () => {
  test('is named with what to do', async () => {
    await using folder = await createTemporaryFolder()
    const file = join(folder.path, 'sepia.db')
    await writeFile(file, 'x'.repeat(5000))
    const message = `${file} is not a database; choose another --data, or restore a backup with sepia restore.`
    for (const open of [openDatabase, isUpToDate]) assert.throws(() => open(file), { message })
  })

  test('is left unchanged if it belongs to another program', async () => {
    await using folder = await createTemporaryFolder()
    const file = join(folder.path, 'sepia.db')
    using other = new DatabaseSync(file)
    other.exec('create table songs (title)')
    assert.throws(() => openDatabase(file), { message: `The database ${file} belongs to another program; choose another --data.` })
    assert.deepEqual(
      other
        .prepare('select name from sqlite_schema')
        .all()
        .map(({ name }) => name),
      ['songs'],
    )
  })

  test('is not mistaken for the lock of another process', async () => {
    await using folder = await createTemporaryFolder()
    const file = join(folder.path, 'owner.lock')
    await writeFile(file, 'x'.repeat(5000))
    await assert.rejects(takeOwnerLock(folder.path), {
      message: `${file} is not a database; choose another --data, or restore a backup with sepia restore.`,
    })
  })

  test('is reported if it is a folder', async () => {
    await using folder = await createTemporaryFolder()
    const file = join(folder.path, 'owner.lock')
    await mkdir(file)
    await assert.rejects(takeOwnerLock(folder.path), {
      message: `${file} cannot be opened by this user, or is a folder; change its permissions or choose another --data.`,
    })
  })
})

test('a full disk is named by the folder on it, and the folder is free afterwards', { skip: !existsSync('/dev/full') }, async () => {
  await using folder = await createTemporaryFolder()
  const note = join(folder.path, 'owner.json')
  await symlink('/dev/full', note)
  const message = `The disk of ${folder.path} is full or out of inodes (df -i); free some space and try again.`
  await assert.rejects(takeOwnerLock(folder.path), { message })
  await rm(note)
  using _owned = await takeOwnerLock(folder.path)
})

test('a folder that another machine or an unknown process holds is named with what to do', async () => {
  await using folder = await createTemporaryFolder()
  const note = join(folder.path, 'owner.json')
  const refusal = (owner: string, advice: string) => ({
    message: `The data folder ${folder.path} is in use by ${owner}; stop it first, or use another data folder.${advice}`,
  })
  const onShare =
    ' On a network share (NFS, SMB), stop the service on the other machine; if there is none, the share has no file locks: move the data folder to a local disk.'
  using _held = takeFileLock(join(folder.path, 'owner.lock'))
  await assert.rejects(takeOwnerLock(folder.path), refusal('another process', onShare))
  await writeFile(note, JSON.stringify({ pid: process.pid, host: `not-${hostname()}`, started: 'today' }))
  await assert.rejects(
    takeOwnerLock(folder.path),
    refusal(
      `process ${process.pid} on the machine not-${hostname()} (started today)`,
      ' Only one machine can use a data folder; several share PostgreSQL (database-url).',
    ),
  )
  // Written by an earlier version.
  await writeFile(note, JSON.stringify({ pid: process.pid, started: 'today' }))
  await assert.rejects(takeOwnerLock(folder.path), refusal(`process ${process.pid} (started today)`, ''))
  // Higher than any system's.
  const pid = 2 ** 30
  await writeFile(note, JSON.stringify({ pid, host: hostname() }))
  await assert.rejects(takeOwnerLock(folder.path), refusal(`process ${pid}`, ` No such process runs here.${onShare}`))
})

test('a file system that cannot lock or read a database is named with what to do', () => {
  const errorOf = (errcode: number) => Object.assign(new Error('disk I/O error'), { errcode })
  const ioErrorLock = 3850
  const protocol = 15
  const messages = [ioErrorLock, protocol].map((code) => Object(nameOpenFault('/data/owner.lock', errorOf(code))).message)
  assert.deepEqual(messages, [
    '/data/owner.lock cannot be read or locked; check the disk. If it is a network share, move the data folder to a local disk.',
    '/data/owner.lock cannot be locked on this file system; move the data folder to a local disk.',
  ])
})
