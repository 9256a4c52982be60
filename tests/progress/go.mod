module dray.test/progress

go 1.24
