import { loadLlamaModel } from '../runtimes/llama/load-llama-model.ts'
import { serveTextEngine } from '../runtimes/process/serve-text-engine.ts'
import { dropThreads } from '../runtimes/vision/drop-threads.ts'

serveTextEngine((descriptor, options) =>
  loadLlamaModel(descriptor, {
    ...options,
    // onnxruntime is only loaded for vision models.
    openTower: async (projector, { threads }) => {
      const { openThreadedTower } = await import('../runtimes/vision/threaded-tower.ts')
      const tower = await openThreadedTower(projector, { threads })
      dropThreads()
      return tower
    },
  }),
)
