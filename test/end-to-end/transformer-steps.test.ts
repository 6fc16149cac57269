import { testTransformerSteps } from '../support/engines/transformer-steps.ts'

testTransformerSteps([
  ['z-image-turbo', 'together'],
  ['sd3.5-medium', 'in turn'],
])
