import { serveTextEngine } from '../../src/runtimes/process/serve-text-engine.ts'
import { createStampedModel } from './stamped-model.ts'

// An engine process around the stamped model; the model's licence is borrowed to say its pace.
serveTextEngine(async ({ license }) => ({
  ...createStampedModel({ tokenDelayMs: Number(license) }),
  [Symbol.asyncDispose]: async () => {},
}))
