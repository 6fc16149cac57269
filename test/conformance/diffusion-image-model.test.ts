import { loadTinyModel } from '../support/model-files/tiny-image-model.ts'
import { testImageModel } from './image-model.ts'

testImageModel('diffusion', loadTinyModel)
