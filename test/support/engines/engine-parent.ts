import { describeFakeText } from '../../../src/runtimes/fake/fake-catalog.ts'
import { createFakeEngineLoader } from './fake-engine-loader.ts'

// A service with one engine; prints the engine's process id and stays until it is killed.
const loader = createFakeEngineLoader({
  textSlots: 1,
  log: (event) => {
    if (event.type === 'started') console.log(event.pid)
  },
})
await loader.loadText(describeFakeText(), { signal: new AbortController().signal })
