import { startHttpService } from '../support/http-service.ts'
import type { ClientTarget } from './client-target.ts'

/** The public interface over fake models, with a worker for deferred requests. */
export async function startFakeTarget(): Promise<ClientTarget> {
  const service = await startHttpService({ worker: true })
  return {
    url: service.url,
    token: service.token,
    chatModel: 'fake-chat',
    imageModel: 'fake-image',
    rankModel: 'fake-chat',
    question: 'What is the capital of France? [say Paris, é → 巴黎 [DONE] it is.]',
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
