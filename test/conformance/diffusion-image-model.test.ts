import { loadTinyModel } from '../support/tiny-image-model.ts'
import { testImageModel } from './image-model.ts'

testImageModel('diffusion', loadTinyModel)
