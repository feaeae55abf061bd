blue.example.com. 60 IN SOA edge-a.blue.example.com. hostmaster.blue.example.com. 3233783464 3600 600 86400 5
blue.example.com. 60 IN NS edge-a.blue.example.com.
blue.example.com. 60 IN NS edge-b.blue.example.com.
api.blue.example.com. 60 IN AAAA fd00:100::3
api-int.blue.example.com. 60 IN AAAA fd00:100::3
oauth.blue.example.com. 60 IN AAAA fd00:100::3
konnectivity.blue.example.com. 60 IN AAAA fd00:100::3
ignition.blue.example.com. 60 IN AAAA fd00:100::3
*.apps.blue.example.com. 60 IN AAAA fd00:100::3
edge-a.blue.example.com. 60 IN AAAA fd00:100::2
edge-b.blue.example.com. 60 IN AAAA fd00:100::4
blue-workers-x7k20-1.blue.example.com. 60 IN AAAA fd00:100::a
