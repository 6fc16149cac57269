import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sepia, startService } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const password = 'a poet of science'

/** Uses a link up in a new browser; answers its cookie. */
async function join(url: string, link: string, email: string): Promise<string> {
  const body = JSON.stringify({ code: link.split('#')[1], name: 'Ada', email, password })
  const answer = await fetch(`${url}/console/api/sign-up`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', origin: url },
  })
  assert.equal(answer.status, 201)
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

suite('disabled accounts', () => {
  test('neither cookies nor links from before the command line disabled an account work after it enabled it', async () => {
    await using folder = await createTemporaryFolder()
    await using service = await startService(folder.path)
    const data = ['--data', folder.path, '--json']
    const made: { readonly id: string } = JSON.parse((await sepia('account', 'create', '--name', 'Eve', ...data)).out)
    const linkTo = async (id: string) => String(JSON.parse((await sepia('account', 'link', id, ...data)).out).link)
    const cookie = await join(service.url, await linkTo(made.id), 'eve@example.org')
    const statusWith = async (path: string, sent: RequestInit) => (await fetch(`${service.url}/console/api/${path}`, sent)).status
    const tokens = () => statusWith('tokens', { headers: { cookie } })
    const oldLink = await linkTo(made.id)
    const open = () =>
      statusWith('invitation', {
        method: 'POST',
        body: JSON.stringify({ code: oldLink.split('#')[1] }),
        headers: { 'content-type': 'application/json', origin: service.url },
      })
    assert.deepEqual([await tokens(), await open()], [200, 200])
    assert.equal((await sepia('account', 'disable', made.id, '--yes', ...data)).code, 0)
    assert.deepEqual([await tokens(), await open()], [401, 404])
    assert.match((await sepia('account', 'link', made.id, ...data)).out, /enable it first/)
    assert.equal((await sepia('account', 'enable', made.id, ...data)).code, 0)
    assert.deepEqual([await tokens(), await open()], [401, 404])
  })
})
