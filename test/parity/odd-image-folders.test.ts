import { testOddImageFolders } from '../support/model-files/odd-image-folders.ts'

testOddImageFolders(['flux-dev', 'sd3.5-medium', 'flux2-klein'])
