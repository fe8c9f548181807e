export { loadDemo } from './load-demo.ts'
