import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startConsoleService } from '../support/console-service.ts'

const paths = [
  '/',
  '/console/tokens',
  '/console/api/session',
  '/console/assets/none.js',
  '/v1/models',
  '/healthz',
  '/openapi.json',
  '/nothing',
]

suite('headers of every answer', () => {
  test('every answer forbids browsers to guess its type', async () => {
    const { send } = await startConsoleService()
    for (const path of paths) assert.equal((await send('GET', path)).headers['x-content-type-options'], 'nosniff', path)
    assert.equal((await send('DELETE', '/v1/models')).headers['x-content-type-options'], 'nosniff')
  })

  test('responses over HTTPS carry Strict-Transport-Security', async () => {
    const secure = await startConsoleService({ publicUrl: 'https://sepia.example' })
    for (const path of paths)
      assert.match(String((await secure.send('GET', path)).headers['strict-transport-security']), /^max-age=\d{8}/, path)
    const plain = await startConsoleService()
    assert.equal((await plain.send('GET', '/')).headers['strict-transport-security'], undefined)
  })
})
