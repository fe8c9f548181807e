export { type TodayOptions, todayRoutes } from './today.routes.ts'
