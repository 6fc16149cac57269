import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type HttpService, startHttpService } from '../../../../test/support/http-service.ts'
import { runCommandLine as run } from '../../../../test/support/run-command-line.ts'
import { createFakeCatalog, describeFakeText } from '../../../runtimes/fake/fake-catalog.ts'

const at = ({ url, token }: HttpService) => ({ environment: { SEPIA_URL: url, SEPIA_TOKEN: token } })

describe('status', () => {
  it('shows the models, and exits with 1 when the service cannot serve', async () => {
    await using service = await startHttpService()
    const { code, out } = await run(['status'], at(service))
    assert.equal(code, 0)
    assert.match(out, /is ready\n\nMODEL +KIND/)
    assert.match(out, /^fake-chat +text/m)
    service.drain()
    const draining = await run(['status'], at(service))
    assert.equal(draining.code, 1)
    assert.match(draining.out, /is not ready: The service is restarting/)
  })

  it('names what a model is for, as the list of installed models does', async () => {
    const encoder = describeFakeText({ id: 'encoder', generates: false, ranks: false })
    const judge = describeFakeText({ id: 'judge', generates: false, ranks: true })
    await using service = await startHttpService({ catalog: createFakeCatalog([encoder, judge]) })
    const { out } = await run(['status'], at(service))
    assert.match(out, /^encoder +embedding /m)
    assert.match(out, /^judge +rerank /m)
  })
})
