import { randomUUID } from 'node:crypto'
import { after, before, describe } from 'node:test'
import { openS3Outputs } from '../../src/storage/s3/open-s3-outputs.ts'
import { testOutputStore } from '../conformance/output-store.ts'
import { options } from '../conformance/store-factory.ts'
import { startS3Server, withoutS3Server } from '../support/s3/start-s3-server.ts'

describe('outputs on a real S3 server', { skip: withoutS3Server }, () => {
  let server: Awaited<ReturnType<typeof startS3Server>>
  before(async () => {
    server = await startS3Server()
  })
  after(() => server[Symbol.asyncDispose]())

  testOutputStore('s3', async ({ clock }) => {
    const address = { ...server.address, bucket: `outputs-${randomUUID()}` }
    const outputs = await openS3Outputs({ address, cluster: 'one', clock }, options)
    return Object.assign(outputs, { [Symbol.asyncDispose]: async () => {} })
  })
})
