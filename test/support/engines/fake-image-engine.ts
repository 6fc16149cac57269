import { createSystemClock } from '../../../src/composition/system-clock.ts'
import { createFakeImageModel } from '../../../src/runtimes/fake/fake-image-model.ts'
import { serveImageEngine } from '../../../src/runtimes/process/serve-image-engine.ts'

// The main of an engine process whose model is fake: `[crash]` kills the process.
serveImageEngine(async () => ({
  ...createFakeImageModel({ clock: createSystemClock(), crash: () => process.kill(process.pid, 'SIGKILL') }),
  [Symbol.asyncDispose]: async () => {},
}))
