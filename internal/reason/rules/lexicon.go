package rules

import "strings"

// lexicon is the set of names under which forms ask for something, by labelKey.
type lexicon map[string]bool

// usual are names forms use on any site.
var usual = lexiconOf(strings.Split("name,first name,last name,middle name,username,password,email,phone,mobile,fax,"+
	"address,street,street address,city,town,state,province,region,country,zip code,date of birth,age,gender,title,"+
	"subject,message,comment,comments,description,notes,note,company,organization,website,url,date,start date,end date,"+
	"time,quantity,amount,price,category,status,priority,type,color,size,language,reason,nickname,department,role,id,"+
	"code,number,confirm password,new password,blood type,insurance,account number,due date,label,tag,tags,keyword", ","))

func lexiconOf(labels []string) lexicon {
	l := lexicon{}
	for _, s := range labels {
		l.add(s)
	}
	return l
}

func (l lexicon) add(label string) { l.addKey(labelKey(label)) }

func (l lexicon) addKey(k []string) {
	if len(k) > 0 && len(k) <= 6 {
		l[strings.Join(k, " ")] = true
	}
}

// knows reports whether a text is the name of a field, wholly.
func (l lexicon) knows(text string) bool {
	k := strings.Join(labelKey(text), " ")
	return k != "" && (l[k] || usual[k])
}
