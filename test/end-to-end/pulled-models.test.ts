import assert from 'node:assert/strict'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readError } from '../support/read-json.ts'
import { sepia, startService } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const builtIn = fileURLToPath(new URL('../../models/sepia-mini-chat', import.meta.url))

interface ChatCompletion {
  readonly model: string
  readonly usage: { readonly completion_tokens: number }
}

/** A copy of the built-in chat model under another id. */
async function offerModel(folder: string, id: string): Promise<string> {
  await cp(builtIn, folder, { recursive: true })
  const file = join(folder, 'model.json')
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), id }))
  return folder
}

function readAudit(data: string): readonly unknown[] {
  using database = new DatabaseSync(join(data, 'sepia.db'), { readOnly: true })
  return database
    .prepare("SELECT action, account_id, subject FROM audit_entries WHERE action LIKE 'model%'")
    .all()
    .map((row) => ({ ...row }))
}

function chat(url: string, token: string, model: string): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 4, temperature: 0 }),
  })
}

describe('models pulled and removed in a running service', () => {
  it('appear and disappear without a restart', { timeout: 300_000 }, async () => {
    await using folder = await createTemporaryFolder()
    const data = join(folder.path, 'data')
    const offered = await offerModel(join(folder.path, 'offered'), 'twin/chat')
    await using service = await startService(data)
    const token = /TOKEN=(sepia_\w+)/.exec(service.greeting)?.[1] ?? ''
    assert.equal((await chat(service.url, token, 'twin/chat')).status, 404)

    const came = service.logged('catalog changed')
    assert.equal((await sepia('model', 'pull', offered, '--data', data)).code, 0)
    assert.deepEqual((await came).added, ['twin/chat'])
    assert.deepEqual(readAudit(data), [{ action: 'model-pulled', account_id: null, subject: offered }])
    const answer = await chat(service.url, token, 'twin/chat')
    assert.equal(answer.status, 200)
    const { model, usage }: ChatCompletion = JSON.parse(await answer.text())
    assert.equal(model, 'twin/chat')
    assert.ok(usage.completion_tokens > 0)

    const left = service.logged('catalog changed')
    const unloaded = service.logged('model unloaded')
    assert.equal((await sepia('model', 'remove', 'twin/chat', '--data', data, '--yes')).code, 0)
    assert.deepEqual((await left).removed, ['twin/chat'])
    assert.equal((await unloaded).modelId, 'twin/chat')
    const refusal = await chat(service.url, token, 'twin/chat')
    assert.equal(refusal.status, 404)
    assert.equal((await readError(refusal)).code, 'model_not_found')
    assert.equal((await chat(service.url, token, 'sepia-mini-chat')).status, 200)
    assert.equal(await service.stop(), 0)
  })
})
