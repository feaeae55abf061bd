module hcpio.io/lab/guest

go 1.26
