import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { takeFileLock } from '../../locking/file-lock.ts'
import { checkDatabase } from './examination.ts'
import { finishRestore, isRestoring, restoreBackup, restoreSteps, unpackBackup } from './restore-backup.ts'
import { writeBackup } from './write-backup.ts'

const options = { signal: new AbortController().signal, onProgress: () => undefined, newestSchema: 100 }
const storedAt = new Date('2026-01-02T03:04:05Z')

interface Workplace extends AsyncDisposable {
  readonly folder: string
  readonly data: { readonly dataFolder: string; readonly databaseFile: string }
  readonly backup: string
}

/** A data folder with a database of one row, one output, and files that belong into no backup. */
async function openWorkplace(): Promise<Workplace> {
  const folder = await mkdtemp(join(tmpdir(), 'sepia-backup-'))
  const dataFolder = join(folder, 'data')
  const data = { dataFolder, databaseFile: join(dataFolder, 'sepia.db') }
  await mkdir(join(dataFolder, 'outputs', 'ab'), { recursive: true })
  await mkdir(join(dataFolder, 'outputs', 'unfinished'))
  await mkdir(join(dataFolder, 'models', 'big'), { recursive: true })
  await writeFile(join(dataFolder, 'outputs', 'ab', 'abcd.1'), 'picture')
  await utimes(join(dataFolder, 'outputs', 'ab', 'abcd.1'), storedAt, storedAt)
  await writeFile(join(dataFolder, 'outputs', 'unfinished', 'x'), 'half')
  await writeFile(join(dataFolder, 'models', 'big', 'weights'), 'heavy')
  writeNote(data.databaseFile, 'before')
  return { folder, data, backup: join(folder, 'sepia.backup'), [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

function writeNote(file: string, note: string): void {
  using database = new DatabaseSync(file)
  database.exec('pragma journal_mode = wal; create table if not exists notes (note text)')
  database.prepare('insert into notes values (?)').run(note)
}

function readNotes(file: string): readonly unknown[] {
  using database = new DatabaseSync(file)
  return database
    .prepare('select note from notes')
    .all()
    .map(({ note }) => note)
}

/** What follows the last page; without it a backup is one of an earlier version. */
async function removeSeal(backup: string): Promise<void> {
  const { size } = await stat(backup)
  await truncate(backup, size - (size % 512))
}

describe('a backup', () => {
  it('reports a full disk, and leaves nothing there', async () => {
    await using place = await openWorkplace()
    const onProgress = () => {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    }
    const message = `The disk of ${place.folder} is full; free some space or choose another file.`
    await assert.rejects(writeBackup(place.data, place.backup, { ...options, onProgress }), { message })
    assert.deepEqual(await readdir(place.folder), ['data'])
  })

  it('removes what killed backups left in its folder, but no backup that is still written', async () => {
    await using place = await openWorkplace()
    const killed = `
      import { writeBackup } from ${JSON.stringify(new URL('./write-backup.ts', import.meta.url).href)}
      const onProgress = () => process.kill(process.pid, 'SIGKILL')
      await writeBackup(${JSON.stringify(place.data)}, ${JSON.stringify(`${place.backup}.1`)}, { signal: new AbortController().signal, onProgress })`
    const { signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', killed])
    assert.equal(signal, 'SIGKILL')
    assert.ok((await readdir(place.folder)).includes('sepia.backup.1.unfinished'))
    const written = ['sepia.backup.2.unfinished', 'sepia.backup.2.unfinished.lock']
    using _writing = takeFileLock(join(place.folder, 'sepia.backup.2.unfinished.lock'))
    const kept = ['data', 'notes.unfinished', ...written]
    for (const name of ['notes.unfinished', 'sepia.backup.2.unfinished']) await writeFile(join(place.folder, name), 'mine')

    await writeBackup(place.data, place.backup, options)
    assert.deepEqual((await readdir(place.folder)).toSorted(), [...kept, 'sepia.backup'].toSorted())
    await assert.rejects(
      writeBackup(place.data, `${place.backup}.2`, options),
      /Another backup is being written to .*sepia\.backup\.2; wait/,
    )
    assert.equal(await readFile(join(place.folder, 'sepia.backup.2.unfinished'), 'utf8'), 'mine')
  })

  it('fails if the folder is restored meanwhile, because its files would belong to another database', async () => {
    await using place = await openWorkplace()
    // A restore that ends when the first file is in the backup.
    const onProgress = () => {
      renameSync(place.data.databaseFile, join(place.folder, 'replaced'))
      copyFileSync(join(place.folder, 'replaced'), place.data.databaseFile)
    }
    const mixed = join(place.folder, 'mixed.backup')
    await assert.rejects(
      writeBackup(place.data, mixed, { ...options, onProgress }),
      /was restored while it was backed up; back it up again/,
    )
    await assert.rejects(stat(mixed))
  })

  it('restores database and outputs, and leaves the models unchanged', async () => {
    await using place = await openWorkplace()
    const { bytes } = await writeBackup(place.data, place.backup, options)
    assert.equal(bytes, (await stat(place.backup)).size)
    writeNote(place.data.databaseFile, 'after')
    await writeFile(join(place.data.dataFolder, 'outputs', 'ab', 'abcd.1'), 'overwritten')
    await writeFile(join(place.data.dataFolder, 'outputs', 'ab', 'abff.1'), 'newer')

    await restoreBackup(place.data, place.backup, options)

    assert.deepEqual(readNotes(place.data.databaseFile), ['before'])
    const output = join(place.data.dataFolder, 'outputs', 'ab', 'abcd.1')
    assert.equal(await readFile(output, 'utf8'), 'picture')
    assert.equal((await stat(output)).mtimeMs, storedAt.getTime())
    await assert.rejects(stat(join(place.data.dataFolder, 'outputs', 'ab', 'abff.1')))
    assert.equal(await readFile(join(place.data.dataFolder, 'models', 'big', 'weights'), 'utf8'), 'heavy')
    assert.deepEqual(checkDatabase(place.data.databaseFile), [])
  })

  it('is taken while another connection writes', async () => {
    await using place = await openWorkplace()
    using writer = new DatabaseSync(place.data.databaseFile)
    writer.exec("begin immediate; insert into notes values ('not yet committed')")
    await writeBackup(place.data, place.backup, options)
    assert.deepEqual(readNotes(place.backup), ['before'])
  })

  it('stores files of any size in pieces, and a restore refuses one whose piece is missing', async () => {
    await using place = await openWorkplace()
    const output = join(place.data.dataFolder, 'outputs', 'ab', 'abcd.1')
    const empty = join(place.data.dataFolder, 'outputs', 'ab', 'abee.1')
    await writeFile(empty, '')
    for (const pieceBytes of [2, 7]) {
      const backup = join(place.folder, `${pieceBytes}.backup`)
      await writeBackup(place.data, backup, { ...options, pieceBytes })
      await writeFile(output, 'overwritten')
      await restoreBackup(place.data, backup, options)
      assert.deepEqual([await readFile(output, 'utf8'), await readFile(empty, 'utf8')], ['picture', ''])
    }
    const backup = join(place.folder, '2.backup')
    await removeSeal(backup)
    {
      using database = new DatabaseSync(backup)
      database.exec("delete from backup_files where path = 'outputs/ab/abcd.1//2'")
    }
    await assert.rejects(restoreBackup(place.data, backup, options), /lacks a piece of outputs\/ab\/abcd\.1/)
    assert.equal(await readFile(output, 'utf8'), 'picture')
  })

  it('can be restored if an upload starts over while its earlier bytes are stored', async () => {
    await using place = await openWorkplace()
    const assets = join(place.data.dataFolder, 'assets')
    await mkdir(assets)
    await writeFile(join(assets, 'a.part'), '123456789')
    await rm(join(place.data.dataFolder, 'outputs'), { recursive: true })
    const { signal } = new AbortController()
    let pieces = 0
    // Called before each piece of the only file.
    signal.throwIfAborted = () => {
      if (pieces++ === 2) writeFileSync(join(assets, 'a.part'), '')
    }
    await writeBackup(place.data, place.backup, { ...options, signal, pieceBytes: 2 })
    await rm(assets, { recursive: true })
    await restoreBackup(place.data, place.backup, options)
    assert.equal(await readFile(join(assets, 'a.part'), 'utf8'), '1234')
  })

  it('contains an upload that gets its final name meanwhile, and nothing that is stored meanwhile', async () => {
    await using place = await openWorkplace()
    const assets = join(place.data.dataFolder, 'assets')
    const later = join(place.data.dataFolder, 'outputs', 'ab', 'abff.1')
    await mkdir(assets)
    await writeFile(join(assets, 'b.part'), 'weights')
    await utimes(join(assets, 'b.part'), storedAt, storedAt)
    await writeFile(join(assets, 'a.picture'), 'first')
    const onProgress = (done: number) => {
      if (done > 1) return
      renameSync(join(assets, 'b.part'), join(assets, 'b.safetensors'))
      writeFileSync(later, 'newer')
      const soon = Date.now() / 1000 + 60
      utimesSync(later, soon, soon)
    }
    await writeBackup(place.data, place.backup, { ...options, onProgress })
    await restoreBackup(place.data, place.backup, options)
    assert.deepEqual((await readdir(assets)).toSorted(), ['a.picture', 'b.safetensors'])
    await assert.rejects(stat(later))
  })

  it('leaves out what is deleted meanwhile, record and file', async () => {
    await using place = await openWorkplace()
    const { databaseFile, dataFolder } = place.data
    const run = (sql: string) => {
      using database = new DatabaseSync(databaseFile)
      database.exec(sql)
    }
    run(`create table documents (kind text, id text, primary key (kind, id)); create table inferences (id text unique, status text, output_deleted integer);
      insert into documents values ('file', 'abcd'), ('file', 'abee'), ('picture', 'abcd'), ('deleted-account', 'abcd');
      insert into inferences values ('abcd', 'completed', 0), ('abee', 'completed', 0), ('abff', 'pending', 0)`)
    const onProgress = () => {
      run(`delete from documents where kind <> 'picture' and id = 'abcd'; delete from inferences where id <> 'abee'`)
      rmSync(join(dataFolder, 'outputs', 'ab', 'abcd.1'), { force: true })
    }
    await writeBackup(place.data, place.backup, { ...options, onProgress })
    await restoreBackup(place.data, place.backup, options)
    using restored = new DatabaseSync(databaseFile)
    const read = (table: string) =>
      restored
        .prepare(`select * from ${table} order by rowid`)
        .all()
        .map((row) => Object.values(row).join(' '))
    assert.deepEqual(read('documents'), ['file abee', 'picture abcd', 'deleted-account abcd'])
    assert.deepEqual(read('inferences'), ['abee completed 0', 'abff pending 0'])
  })

  it('skips a file that is deleted while it is written', async () => {
    await using place = await openWorkplace()
    for (const name of ['abcd.2', 'abcd.3', 'abcd.4']) await writeFile(join(place.data.dataFolder, 'outputs', 'ab', name), 'short-lived')
    const onProgress = (done: number) => {
      if (done === 1) rmSync(join(place.data.dataFolder, 'outputs', 'ab'), { recursive: true })
    }
    await writeBackup(place.data, place.backup, { ...options, onProgress })
    using backup = new DatabaseSync(place.backup)
    assert.equal(backup.prepare('select count(*) as files from backup_files').get()?.files, 1)
  })

  it('is restored completely, even if the restore is interrupted after unpacking', async () => {
    for (let interruptedAfter = 0, finished = false; !finished; interruptedAfter++) {
      await using place = await openWorkplace()
      await writeBackup(place.data, place.backup, options)
      writeNote(place.data.databaseFile, 'after')
      await writeFile(join(place.data.dataFolder, 'outputs', 'ab', 'abff.1'), 'newer')
      await writeFile(join(place.data.dataFolder, 'note.txt'), 'newer')
      await unpackBackup(place.data, place.backup, options)
      let steps = 0
      finished = true
      for await (const _step of restoreSteps(place.data)) {
        if (++steps <= interruptedAfter) continue
        finished = false
        break
      }
      await finishRestore(place.data)
      assert.equal(isRestoring(place.data.dataFolder), false)
      assert.deepEqual(readNotes(place.data.databaseFile), ['before'])
      assert.deepEqual((await readdir(place.data.dataFolder)).filter((name) => !name.startsWith('sepia.db')).sort(), ['models', 'outputs'])
      assert.deepEqual(await readdir(join(place.data.dataFolder, 'outputs', 'ab')), ['abcd.1'])
    }
  })

  it('leaves no half of it behind if it was killed while it was unpacked', async () => {
    await using place = await openWorkplace()
    const half = join(place.data.dataFolder, 'restoring')
    await mkdir(join(half, 'files'), { recursive: true })
    assert.equal(isRestoring(place.data.dataFolder), true)
    await finishRestore(place.data)
    assert.equal(isRestoring(place.data.dataFolder), false)
    assert.deepEqual(readNotes(place.data.databaseFile), ['before'])
  })

  it('restores into an empty folder', async () => {
    await using place = await openWorkplace()
    await writeBackup(place.data, place.backup, options)
    const dataFolder = join(place.folder, 'elsewhere')
    await mkdir(dataFolder)
    await restoreBackup({ dataFolder, databaseFile: join(dataFolder, 'sepia.db') }, place.backup, options)
    assert.deepEqual(readNotes(join(dataFolder, 'sepia.db')), ['before'])
  })

  it('is readable only by its owner, and so are the restored files', {
    skip: process.platform === 'win32' && 'Windows has other rights',
  }, async () => {
    await using place = await openWorkplace()
    await writeBackup(place.data, place.backup, options)
    const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
    assert.equal(await modeOf(place.backup), '600')
    await chmod(place.backup, 0o644)
    await restoreBackup(place.data, place.backup, options)
    assert.equal(await modeOf(place.data.databaseFile), '600')
    assert.equal(await modeOf(join(place.data.dataFolder, 'outputs')), '700')
  })

  it('never overwrites a file', async () => {
    await using place = await openWorkplace()
    await writeFile(place.backup, 'mine')
    await assert.rejects(writeBackup(place.data, place.backup, options), /exists already/)
    assert.equal(await readFile(place.backup, 'utf8'), 'mine')
  })

  it('changes nothing when it is damaged or no backup at all', async () => {
    await using place = await openWorkplace()
    await writeBackup(place.data, place.backup, options)
    const whole = await readFile(place.backup)
    const damaged = [Buffer.from('no database'), whole.subarray(0, whole.length - 4096), Buffer.alloc(0)]
    for (const content of damaged) {
      await writeFile(place.backup, content)
      await assert.rejects(restoreBackup(place.data, place.backup, options), /is not a complete backup/)
    }
    assert.deepEqual(readNotes(place.data.databaseFile), ['before'])
    assert.equal(await readFile(join(place.data.dataFolder, 'outputs', 'ab', 'abcd.1'), 'utf8'), 'picture')
  })

  it('changes nothing if a single bit of it is wrong', async () => {
    await using place = await openWorkplace()
    await writeBackup(place.data, place.backup, options)
    const whole = await readFile(place.backup)
    const places = { row: whole.indexOf('before'), file: whole.indexOf('picture'), seal: whole.length - 10, mark: whole.length - 80 }
    for (const [where, index] of Object.entries(places)) {
      const turned = Buffer.from(whole)
      turned[index] = (turned[index] ?? 0) ^ 1
      await writeFile(place.backup, turned)
      await assert.rejects(restoreBackup(place.data, place.backup, options), /is not a complete backup .*; copy it again/, where)
    }
    assert.deepEqual(readNotes(place.data.databaseFile), ['before'])
    await writeFile(place.backup, whole)
    await restoreBackup(place.data, place.backup, options)
  })

  it('of an earlier version, which wrote no checksum, is restored', async () => {
    await using place = await openWorkplace()
    await writeBackup(place.data, place.backup, options)
    writeNote(place.data.databaseFile, 'after')
    await removeSeal(place.backup)
    await restoreBackup(place.data, place.backup, options)
    assert.deepEqual(readNotes(place.data.databaseFile), ['before'])
  })

  it('changes nothing when only a newer version could start on it', async () => {
    await using place = await openWorkplace()
    await writeBackup(place.data, place.backup, options)
    await removeSeal(place.backup)
    {
      using database = new DatabaseSync(place.backup)
      database.exec('pragma user_version = 9999')
    }
    await assert.rejects(
      restoreBackup(place.data, place.backup, options),
      /by a newer version of the service \(schema 9999\); restore it with that/,
    )
    assert.deepEqual(readNotes(place.data.databaseFile), ['before'])
  })

  it('is refused when it holds a path that leads out of the data folder', async () => {
    await using place = await openWorkplace()
    await writeBackup(place.data, place.backup, options)
    await removeSeal(place.backup)
    {
      using database = new DatabaseSync(place.backup)
      database.exec("update backup_files set path = '../escaped'")
    }
    await assert.rejects(restoreBackup(place.data, place.backup, options), /an unexpected file/)
  })
})

describe('checkDatabase', () => {
  it('finds damage', async () => {
    await using place = await openWorkplace()
    await writeFile(place.data.databaseFile, 'no database at all')
    assert.equal(checkDatabase(place.data.databaseFile).length, 1)
  })
})
