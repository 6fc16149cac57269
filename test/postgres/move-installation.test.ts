import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { suite, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { openBucket } from '../../src/composition/cluster/open-bucket.ts'
import { moveInstallation } from '../../src/composition/move-installation.ts'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { findBodies, keepBody } from '../../src/operations/bodies/kept-bodies.ts'
import { fileDocument, findFile } from '../../src/operations/files/file-documents.ts'
import { findKeptPicture, keepPicture } from '../../src/operations/pictures/kept-pictures.ts'
import { openFilesystemOutputs } from '../../src/storage/filesystem/open-filesystem-outputs.ts'
import { openPostgresStore } from '../../src/storage/postgres/open-postgres-store.ts'
import { openSqliteStore } from '../../src/storage/sqlite/open-sqlite-store.ts'
import { removeOrphanOutputs } from '../../src/worker/maintenance.ts'
import { claimNext, succeed } from '../conformance/claiming.ts'
import { options, roomy } from '../conformance/store-factory.ts'
import { createMemoryBodyKeys } from '../support/memory/create-memory-body-keys.ts'
import { insist } from '../support/postgres/insist.ts'
import { createDatabase, sharedPostgres } from '../support/postgres/postgres-databases.ts'
import { withoutPostgres } from '../support/postgres/postgres-server.ts'
import { startFaultyS3Server } from '../support/s3/faulty-s3-server.ts'
import { readStored } from '../support/stored-output.ts'
import { makeSubmission } from '../support/submission.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const proxies = { http: null, https: null, exceptions: [] }

const quiet = { ...options, onProgress: () => {} }

/** A data folder as an earlier version wrote it, with `more` inferences waiting besides. */
async function makeDataFolder(more = 0) {
  const folder = await createTemporaryFolder()
  const packed = await readFile(new URL('../fixtures/data-folders/schema-2.db.gz', import.meta.url))
  await writeFile(`${folder.path}/sepia.db`, gunzipSync(packed))
  const settings = { file: `${folder.path}/sepia.db`, clock: createSystemClock(), limits: { maxPending: 10_000 }, mode: 'service' } as const
  await using store = await openSqliteStore(settings)
  for (let index = 0; index < more; index++) await store.queue.enqueue(makeSubmission({ accountId: `account-${index % 3}` }), options)
  await store.audit.append({ at: 5, action: 'signed-in', accountId: 'a', address: '192.0.2.1', subject: null, detail: null }, options)
  const document = {
    kind: 'file',
    id: 'f',
    accountId: 'a',
    value: { text: 'nul \0 in it' },
    at: 5,
    label: null,
    text: 'nul \0',
    attachedBytes: 0,
  } as const
  await store.documents.put({ ...document, expiresAt: null }, { ...options, most: 1e6 })
  await store.webhooks.secrets('a', options)
  return folder
}

const open = (url: string) => openPostgresStore({ url, clock: createSystemClock(), limits: roomy, mode: 'service' })

suite('moving an embedded installation to PostgreSQL', { skip: withoutPostgres }, () => {
  test('everything of an earlier version is there, and pending work runs in order', async () => {
    await using folder = await makeDataFolder()
    const url = await createDatabase()
    const progress: number[] = []
    const rows = await moveInstallation({ dataFolder: folder.path, proxies, outputs: { type: 'filesystem' } }, url, {
      ...options,
      onProgress: (done) => progress.push(done),
    })
    assert.deepEqual([rows.accounts, rows.inferences, rows.queue, rows.documents, rows.audit_entries], [1, 5, 3, 1, 1])
    assert.equal(
      progress.at(-1),
      Object.values(rows).reduce((sum, count) => sum + count, 0),
    )
    await using store = await open(url)
    assert.equal((await insist(() => store.accounts.find('a', options)))?.name, 'Ada')
    assert.equal((await insist(() => store.tokens.findByHash('ab', options)))?.hint, 'wxyz')
    const { inferences } = await store.log.list({ accountId: 'a', status: 'pending', limit: 10, after: null }, options)
    const first = await claimNext(store.queue).catch(() => null)
    const waiting = inferences.toReversed()
    const rooms = [...new Set(waiting.map(({ model }) => model))].map((model) => ({ model, room: 10 }))
    const claims = await store.queue.claim({ workerId: 'w', rooms, limit: 10, leaseMs: 30_000 }, options)
    assert.deepEqual([...(first === null ? [] : [first]), ...claims].map(({ id }) => id).toSorted(), waiting.map(({ id }) => id).toSorted())
    for (const claim of claims) assert.equal(await succeed(store.queue, claim), 'completed')
    const { inference } = await store.queue.enqueue(makeSubmission(), options)
    const page = await store.log.list({ accountId: 'a', status: null, limit: 1, after: null }, options)
    assert.equal(page.inferences[0]?.id, inference.id)
    assert.equal((await store.audit.list({ before: null, limit: 1 }, options))[0]?.action, 'signed-in')
    await store.audit.append({ at: 6, action: 'signed-in', accountId: 'a', address: null, subject: null, detail: null }, options)
  })

  test('an interrupted move continues; no service starts on a partial one, and nothing is copied twice', async () => {
    await using folder = await makeDataFolder(900)
    const url = await createDatabase()
    const stop = new AbortController()
    const onProgress = (done: number) => {
      if (done > 400) stop.abort(new Error('stopped here'))
    }
    await assert.rejects(
      moveInstallation({ dataFolder: folder.path, proxies, outputs: { type: 'filesystem' } }, url, { signal: stop.signal, onProgress }),
      /stopped here/,
    )
    await assert.rejects(open(url), /not complete; run sepia migrate again/)
    assert.equal((await moveInstallation({ dataFolder: folder.path, proxies, outputs: { type: 'filesystem' } }, url, quiet)).queue, 903)
    await using store = await open(url)
    assert.equal(
      (await store.log.list({ accountId: 'account-0', status: 'pending', limit: 1000, after: null }, options)).inferences.length,
      300,
    )
    await assert.rejects(
      moveInstallation({ dataFolder: folder.path, proxies, outputs: { type: 'filesystem' } }, url, quiet),
      /already moved into this database/,
    )
  })

  test('a database with other content is left unchanged, and a difference is found', async () => {
    await using folder = await makeDataFolder()
    const url = await createDatabase()
    const { query } = await sharedPostgres()
    const name = new URL(url).pathname.slice(1)
    await query("insert into accounts (id, name, role, created_at) values ('x', 'Eve', 'owner', 1)", name)
    await assert.rejects(
      moveInstallation({ dataFolder: folder.path, proxies, outputs: { type: 'filesystem' } }, url, quiet),
      /already contains an installation/,
    )
    await query('insert into imports (finished) values (false)', name)
    await assert.rejects(
      moveInstallation({ dataFolder: folder.path, proxies, outputs: { type: 'filesystem' } }, url, quiet),
      /accounts has 2 rows after copying instead of 1/,
    )
    await query("delete from accounts; insert into accounts (id, name, role, created_at) values ('a', 'Eve', 'owner', 1)", name)
    await assert.rejects(
      moveInstallation({ dataFolder: folder.path, proxies, outputs: { type: 'filesystem' } }, url, quiet),
      /accounts differs after copying/,
    )
  })

  test('outputs are copied into a named bucket once each, and served from there', async () => {
    await using folder = await makeDataFolder()
    await using server = await startFaultyS3Server()
    const clock = createSystemClock()
    const files = await openFilesystemOutputs({ folder: `${folder.path}/outputs`, clock })
    const kept: { readonly id: string; readonly accountId: string; readonly text: string }[] = []
    {
      await using store = await openSqliteStore({ file: `${folder.path}/sepia.db`, clock, limits: roomy, mode: 'service' })
      for (const text of ['first', 'second', 'lost']) {
        await store.queue.enqueue(makeSubmission(), options)
        const claim = await claimNext(store.queue)
        const name = { inferenceId: claim.id, attempt: claim.attempt }
        const output = await files.put(name, { contentType: 'text/plain', chunks: [Buffer.from(text)] }, options)
        assert.equal(await succeed(store.queue, claim, output), 'completed')
        if (text === 'lost') await files.delete([output.key], options)
        else kept.push({ id: claim.id, accountId: claim.inference.accountId, text })
      }
    }
    const keys = createMemoryBodyKeys()
    const key = keys.make()
    const target = { accountId: 'a', requestId: 'r' }
    const picture = {
      inferenceId: 'i',
      index: 0,
      seed: 1,
      model: 'm',
      prompt: 'p',
      contentType: 'image/png',
      bytes: Buffer.from('a picture'),
    }
    let pictureId = ''
    {
      await using store = await openSqliteStore({ file: `${folder.path}/sepia.db`, clock, limits: roomy, mode: 'service' })
      const deps = { documents: store.documents, outputs: files, clock, maxDocumentBytes: 1e9 }
      pictureId = await keepPicture(deps, { accountId: 'a', ...picture }, options)
      const body = {
        ...target,
        exchange: 'e',
        part: 'request',
        path: '/x',
        contentType: null,
        status: null,
        length: 200_000,
        pieces: [Buffer.alloc(200_000, 7)],
      } as const
      await keepBody(deps, { key, body, at: clock.now(), keepMs: 1e9, most: 1e9 }, options)
      const part = await files.put(
        { inferenceId: 'aaaa-1', attempt: 1 },
        { contentType: 'text/plain', chunks: [Buffer.from('a file')] },
        options,
      )
      const file = {
        id: 'file-aaaa-1',
        accountId: 'a',
        name: 'f',
        purpose: 'batch',
        bytes: 6,
        createdAt: clock.now(),
        expiresAt: null,
        parts: [part],
      } as const
      await store.documents.put(fileDocument(file), { ...options, most: 1e9 })
    }
    const outputs = { type: 's3', address: server.address, secretFile: null } as const
    const url = await createDatabase()
    let puts = 0
    server.fault = ({ method, key }) => (method === 'PUT' && key.startsWith('v1/') && ++puts === 2 ? { status: 403 } : undefined)
    await assert.rejects(moveInstallation({ dataFolder: folder.path, proxies, outputs }, url, quiet), /answered 403/)
    server.fault = () => undefined
    const rows = await moveInstallation({ dataFolder: folder.path, proxies, outputs }, url, quiet)
    assert.equal(rows.outputs, 5)
    assert.equal([...server.objects.keys()].filter((key) => key.startsWith('v1/')).length, 5)
    await using store = await open(url)
    const bucket = await openBucket(outputs, { clock, registry: store.nodes }, options)
    for (const { id, accountId, text } of kept) {
      const output = (await store.log.find(id, accountId, options))?.output
      assert.ok(output)
      assert.equal((await readStored(bucket, output)).toString(), text)
    }
    const deps = { documents: store.documents, outputs: bucket, log: store.log, clock: { ...clock, now: () => clock.now() + 3e9 } }
    assert.equal(
      (await readStored(bucket, (await findKeptPicture(deps, { accountId: 'a', id: pictureId }, options)).file)).toString(),
      'a picture',
    )
    const [file] = (await findFile(deps, { accountId: 'a', id: 'file-aaaa-1' }, options)).parts
    assert.ok(file)
    assert.equal((await readStored(bucket, file)).toString(), 'a file')
    const [body] = await findBodies({ ...deps, keys }, target, options)
    assert.deepEqual(body && 'bytes' in body && Buffer.from(body.bytes), Buffer.alloc(200_000, 7))
    const old = [...server.objects.keys()].flatMap((key) => {
      const inferenceId = key.split('/')[2]
      return inferenceId === undefined ? [] : [{ key, inferenceId }]
    })
    const kindOf = new Set(
      (await store.log.findOrphans(old, options)).map((each) => old.find(({ key: known }) => known === each)?.inferenceId),
    )
    assert.deepEqual(kindOf.size, 3, 'only what documents hold')
    await removeOrphanOutputs(deps, options)
    assert.equal([...server.objects.keys()].filter((each) => each.startsWith('v1/')).length, 5)
  })

  test('a folder with a running service is rejected', async () => {
    await using folder = await makeDataFolder()
    await using _service = await openSqliteStore({
      file: `${folder.path}/sepia.db`,
      clock: createSystemClock(),
      limits: roomy,
      mode: 'service',
    })
    await assert.rejects(
      moveInstallation({ dataFolder: folder.path, proxies, outputs: { type: 'filesystem' } }, await createDatabase(), quiet),
      /in use by process/,
    )
  })
})
