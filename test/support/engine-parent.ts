import { createSystemClock } from '../../src/composition/system-clock.ts'
import { describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { createProcessModelLoader } from '../../src/runtimes/process/process-model-loader.ts'

// A service with one engine; prints the engine's process id and stays until it is killed.
const loader = createProcessModelLoader({
  textEntry: new URL('./fake-text-engine.ts', import.meta.url),
  imageEntry: new URL('./fake-image-engine.ts', import.meta.url),
  engineThreads: 1,
  textSlots: 1,
  clock: createSystemClock(),
  log: (event) => {
    if (event.type === 'started') console.log(event.pid)
  },
})
await loader.loadText(describeFakeText(), { signal: new AbortController().signal })
