export { isDemonstration } from './demo.repository.ts'
export { loadDemo } from './load-demo.ts'
