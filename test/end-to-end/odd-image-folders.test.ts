import { testOddImageFolders } from '../support/model-files/odd-image-folders.ts'

testOddImageFolders(['z-image-turbo'])
