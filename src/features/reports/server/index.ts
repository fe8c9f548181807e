export { reportsRoutes } from './reports.routes.ts'
export { salesFile, sendReports } from './send-reports.ts'
export { todayRoutes } from './today.routes.ts'
export { statementSearch } from './statements.ts'
