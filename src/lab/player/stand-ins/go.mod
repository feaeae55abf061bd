module hcpio.io/lab/stand-ins

go 1.26
