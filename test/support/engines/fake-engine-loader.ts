import { createSystemClock } from '../../../src/composition/system-clock.ts'
import type { ModelLoader } from '../../../src/core/ports/model-loader.ts'
import { createProcessModelLoader } from '../../../src/runtimes/process/process-model-loader.ts'

/** Loads fake models into real engine processes. */
export function createFakeEngineLoader(overrides: Partial<Parameters<typeof createProcessModelLoader>[0]> = {}): ModelLoader {
  return createProcessModelLoader({
    textEntry: new URL('./fake-text-engine.ts', import.meta.url),
    imageEntry: new URL('./fake-image-engine.ts', import.meta.url),
    engineThreads: 1,
    textSlots: 2,
    clock: createSystemClock(),
    log: () => {},
    ...overrides,
  })
}
