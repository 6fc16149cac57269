import { inspectImage } from '../runtimes/diffusion/pictures/inspect-image.ts'
import { servePictureEngine } from '../runtimes/process/serve-picture-engine.ts'

servePictureEngine(inspectImage)
