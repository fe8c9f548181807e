export { DEMO_ACCOUNTS_FILE, loadDemo } from './load-demo.ts'
