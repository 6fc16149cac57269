import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { sepia, sepiaIn, startService } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

async function statusWith(token: string, url: string): Promise<number> {
  const { status } = await fetch(`${url}/v1/models`, { headers: { Authorization: `Bearer ${token}` } })
  return status
}

describe('the command line beside a running service', () => {
  it('prints a token once, creates more, prevents a second service, backs up and restores', async () => {
    await using folder = await createTemporaryFolder()
    const data = join(folder.path, 'data')
    const backup = join(folder.path, 'backup.db')
    await using first = await startService(data)
    const greeted = /TOKEN=(sepia_\w+)/.exec(first.greeting)?.[1] ?? ''
    assert.equal(await statusWith(greeted, first.url), 200)

    const { out } = await sepia('token', 'create', '--name', 'second', '--data', data, '--json')
    const made: { readonly token: string; readonly id: string } = JSON.parse(out)
    assert.equal(await statusWith(made.token, first.url), 200)

    const rival = await sepia('serve', '--port', '0', '--data', data)
    assert.equal(rival.code, 1)
    assert.match(rival.err, /is in use by process \d+/)

    assert.equal((await sepia('backup', backup, '--data', data)).code, 0)
    assert.match((await sepia('restore', backup, '--data', data, '--yes')).err, /is in use by process \d+/)
    assert.equal((await sepia('token', 'revoke', made.id, '--data', data)).code, 0)
    assert.match((await sepia('token', 'list', '--data', data)).out, /second .* revoked /)
    assert.equal(await first.stop(), 0)

    assert.equal((await sepia('restore', backup, '--data', data, '--yes')).code, 0)
    assert.equal((await sepia('doctor', '--data', data)).code, 0)
    await using second = await startService(data)
    assert.doesNotMatch(second.greeting, /TOKEN=/)
    assert.equal(await statusWith(made.token, second.url), 200)
  })

  it('prints each fault of a model in its own row, and a missing key with the field and the file', async () => {
    await using folder = await createTemporaryFolder()
    const models = join(folder.path, 'models')
    for (const id of ['far', 'farther']) {
      await mkdir(join(models, id), { recursive: true })
      const model = { id, kind: 'text', format: 'openai', url: 'http://127.0.0.1:9/v1', keyFile: 'key' }
      await writeFile(join(models, id, 'model.json'), JSON.stringify(model))
    }
    await writeFile(join(models, 'farther', 'key'), '\r\n')
    const { code, out } = await sepia('doctor', '--data', join(folder.path, 'data'), '--models', models)
    assert.equal(code, 1)
    for (const [id, fault] of [
      ['far', 'is missing'],
      ['farther', 'is empty'],
    ] as const) {
      const line = `${join(models, id, 'model.json')}: keyFile: names ${join(models, id, 'key')}, which ${fault}; write the access key into it.`
      assert.ok(
        out.split('\n').some((row) => /^models +FAULT/u.test(row) && row.endsWith(line)),
        out,
      )
    }
  })

  it('reports fields of a valid model that have no effect', async () => {
    await using folder = await createTemporaryFolder()
    const models = join(folder.path, 'models')
    await mkdir(join(models, 'far'), { recursive: true })
    const model = { id: 'far', kind: 'image', format: 'a1111', url: 'http://127.0.0.1:9', timestepSpacing: 'trailing' }
    await writeFile(join(models, 'far', 'model.json'), JSON.stringify(model))
    const { code, out } = await sepia('doctor', '--data', join(folder.path, 'data'), '--models', models)
    assert.equal(code, 0)
    assert.match(
      out,
      /^model far +away +its model\.json is valid, and it runs on (http:\/\/\S+); \1 does not answer: .*nothing listens there; start it, .*; timestepSpacing has no effect on an image server/mu,
    )
  })

  it('finds the service of its data folder, whatever flags started it', async () => {
    await using folder = await createTemporaryFolder()
    const data = join(folder.path, 'data')
    const models = join(folder.path, 'models')
    await mkdir(join(models, 'far'), { recursive: true })
    await writeFile(
      join(models, 'far', 'model.json'),
      JSON.stringify({ id: 'far', kind: 'text', format: 'openai', url: 'http://127.0.0.1:9/v1' }),
    )
    const beside = (...argv: readonly string[]) => sepiaIn({ XDG_CONFIG_HOME: folder.path }, ...argv, '--data', data)
    const look = async () => {
      const list: { readonly models: readonly { readonly id: string }[] } = JSON.parse((await beside('model', 'list', '--json')).out)
      return list.models.map(({ id }) => id)
    }
    {
      await using service = await startService(data, '--models', models, '--public-url', 'https://sepia.example')
      assert.match((await beside('status')).out, new RegExp(`^${service.url} is ready$`, 'm'))
      assert.ok((await look()).includes('far'))
      const [owner] = JSON.parse((await beside('account', 'list', '--json')).out).accounts
      assert.match((await beside('account', 'link', owner.id)).out, /https:\/\/sepia\.example\/console\/join#/)
      assert.match((await beside('config')).out, /^public-url +https:\/\/sepia\.example +the running service$/m)
      assert.match((await beside('config', '--port', '81')).out, /^port +81 +--port$/m)
    }
    assert.ok(!(await look()).includes('far'))
    await using killed = await startService(data, '--models', models)
    await killed.kill()
    assert.ok(!(await look()).includes('far'))
  })

  it('is ready once it listens, and prints links with the public address', async () => {
    await using folder = await createTemporaryFolder()
    await using service = await startService(folder.path, '--public-url', 'https://sepia.example')
    assert.match(service.url, /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
    assert.match(service.greeting, /curl https:\/\/sepia\.example\/v1\/chat\/completions/)
    assert.match(service.greeting, /Open the console: https:\/\/sepia\.example\/console\//)
  })

  it('warns that its links work only on this machine if it has no public address', async () => {
    await using folder = await createTemporaryFolder()
    const greet = async (...flags: readonly string[]) => {
      await using service = await startService(folder.path, ...flags)
      return service.greeting
    }
    assert.match(await greet('--host', '0.0.0.0'), /Links use http:\/\/127\.0\.0\.1:\d+, .* --public-url/)
    assert.doesNotMatch(await greet('--host', '0.0.0.0', '--public-url', 'https://sepia.example'), /Links use/)
    assert.doesNotMatch(await greet(), /Links use/)
  })

  it('stops on a signal during startup', async () => {
    await using folder = await createTemporaryFolder()
    const child = spawn(process.execPath, ['src/bin.ts', 'serve', '--port', '0', '--data', join(folder.path, 'data')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    using _ended = { [Symbol.dispose]: () => void child.kill('SIGKILL') }
    const closed = once(child, 'close')
    let log = ''
    for await (const chunk of child.stderr) {
      // Whatever step comes next is broken off, and that is no fault.
      if (log === '') child.kill('SIGTERM')
      log += String(chunk)
    }
    assert.doesNotMatch(log, /"level":"(error|fatal)"|^\s+at /m)
    assert.deepEqual(await closed, [0, null])
  })

  it('exits with 2 and lists all faults of flags and environment', async () => {
    const child = spawn(process.execPath, ['src/bin.ts', 'serve', '--prot', '1'], {
      env: { PATH: process.env.PATH, SEPIA_GRACE: 'soon' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    assert.equal(code, 2)
    assert.match(err, /^--prot: there is no such flag\. Did you mean --port\?\nSEPIA_GRACE: expected a duration/)
  })

  it('creates a database for the first token or account, not for read-only commands', async () => {
    await using folder = await createTemporaryFolder()
    const data = join(folder.path, 'data')
    for (const words of ['token list', 'account list', 'token revoke x --yes', 'account link x', 'account disable x --yes']) {
      const { code, err } = await sepia(...words.split(' '), '--data', data)
      assert.deepEqual(
        [words, code, err],
        [words, 2, `data: there is no database in ${data}; name the data folder of the service with --data, or start the service once.\n`],
      )
    }
    assert.ok(!existsSync(data))
    assert.equal((await sepia('token', 'create', '--name', 'first', '--data', data)).code, 0)
    assert.equal((await sepia('token', 'list', '--data', data)).code, 0)
  })

  it('lists missing cluster settings and missing model folders at once, with or without other faults', async () => {
    await using folder = await createTemporaryFolder()
    const models = join(folder.path, 'nothing')
    const urls = ['--s3-url', 'https://k:secret@s3.example/bucket', '--cluster-secret', 'secret']
    for (const port of ['0', 'none']) {
      const { code, err } = await sepia('serve', '--port', port, '--data', folder.path, ...urls, '--models', models)
      assert.equal(code, 2)
      const places = err
        .trimEnd()
        .split('\n')
        .map((line) => line.split(': ')[0])
      assert.deepEqual(places, [...(port === 'none' ? ['--port'] : []), 'database-url', 'cluster-secret', models])
      assert.doesNotMatch(err, /k:secret/)
    }
  })

  it('does not report settings as missing that are set but unreadable', async () => {
    await using folder = await createTemporaryFolder()
    const places = async (...flags: string[]) => {
      const { code, err } = await sepia('serve', '--port', '0', '--data', folder.path, ...flags)
      assert.equal(code, 2)
      return err.split('\n').map((line) => line.split(': ')[0])
    }
    const [database, bucket] = ['postgres://u@db.example/d', 'https://k:s@s3.example/bucket']
    const node = ['--cluster-secret', 'a'.repeat(16), '--role', 'worker']
    assert.deepEqual(await places('--s3-url', 'bucket', '--database-url', database, ...node), ['--s3-url', ''])
    assert.deepEqual(await places('--s3-url', bucket, '--database-url', 'db', ...node), ['--database-url', ''])
    assert.deepEqual(await places('--s3-url', bucket, '--database-url-file', '', ...node), ['--database-url-file', ''])
    assert.deepEqual(await places('--oidc-issuer', 'me', '--local-sign-in', 'off'), ['--oidc-issuer', ''])
  })
})
