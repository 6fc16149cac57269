import { loadDiffusionModel } from '../runtimes/diffusion/load-diffusion-model.ts'
import { serveImageEngine } from '../runtimes/process/serve-image-engine.ts'

serveImageEngine(loadDiffusionModel)
